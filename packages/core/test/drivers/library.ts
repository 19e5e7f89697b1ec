import { createStore, defineResources, knows, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import type { Kysely } from 'kysely'
import { expect } from 'vitest'

export type Tables = Record<string, Record<string, unknown>>

export const library = defineResources({
  author: {
    fields: { name: Type.String(), born: Type.Optional(Type.Integer()) },
    relations: { books: owns.many('book'), friend: knows.one('author') },
    unique: [['name']],
  },
  book: { fields: { title: Type.String() }, relations: { author: ownedBy('author') } },
})

export function authorsIn(db: Kysely<Tables>) {
  return createStore({ db, resources: library }).resource('author')
}

/** The whole life of a record, errors included. */
export async function liveThrough(db: Kysely<Tables>, name: string): Promise<void> {
  const authors = authorsIn(db)
  const created = await authors.create({ name, books: [{ title: 'a' }, { title: 'b' }] })
  expect(await authors.find(created.id)).toEqual(created)
  expect(created).toMatchObject({ name, born: null, books: [{ title: 'a' }, { title: 'b' }] })
  await expect(authors.create({ name })).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_UNIQUE' })
  const patched = await authors.patch(created.id, { born: 1890, friendId: created.id, books: [{ title: 'c' }] })
  expect(patched).toMatchObject({ born: 1890, friend: { name }, books: [{}, {}, { title: 'c' }] })
  const replaced = await authors.replace(created.id, { name: `${name}!`, books: [{ title: 'd' }] })
  expect(replaced).toMatchObject({ name: `${name}!`, friend: null, books: [{ title: 'd' }] })
  await expect(authors.patch(created.id, { books: [{ id: 999_999 }] })).rejects.toMatchObject({
    code: 'CRUD_ERR_UNKNOWN_REFERENCE',
  })
  expect((await authors.list()).rows).toContainEqual(replaced)
  await authors.delete(created.id)
  await expect(authors.find(created.id)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
}
