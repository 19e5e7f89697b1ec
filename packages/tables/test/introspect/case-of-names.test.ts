import { createStore } from '@fastify-crud/core'
import { checkTables, introspect } from '@fastify-crud/tables'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { useDatabase } from '../use-database.ts'

const postgres = databases[1] as TestDatabase

describe('introspect of names that differ only in the case of letters (postgres)', () => {
  const database = useDatabase(postgres)

  async function described(...statements: readonly string[]) {
    const { db } = database()
    for (const statement of statements) await sql.raw(statement).execute(db)
    const { resources, tables, source } = await introspect(db)
    expect((await checkTables(db, resources)).filter(({ severity }) => severity === 'error')).toEqual([])
    const fieldsOf = (key: string) => resources.resources.get(key)?.fields.map(({ column }) => column)
    return { store: createStore({ db, resources }), resources, tables, source, fieldsOf }
  }

  test('describes the table in small letters, and says of the others why they are left out', async () => {
    const { tables, source, store } = await described(
      'create table "User" (id serial primary key, name text)',
      'create table "user" (id serial primary key, name text)',
      'create table "USER" (id serial primary key)',
      'create table post (id serial primary key, user_id integer not null references "user", author_id integer references "User")',
    )
    const reason = 'its name differs from "user" only in the case of letters'
    expect(Object.fromEntries(tables)).toEqual({
      user: { resource: 'user' },
      post: { resource: 'post' },
      User: { reason },
      USER: { reason },
    })
    expect(source).toContain(`// - "User": ${reason}`)
    const user = await store.resource('user').create({ name: 'Ann' })
    const post = await store.resource('post').create({ user_id: user.id })
    expect(post).toMatchObject({ user, author_id: null })
  })

  test('describes the column of a key, else the one in small letters', async () => {
    const { fieldsOf, source, store } = await described(
      'create table a ("Id" integer, id serial primary key, "Name" text, name text not null, "NAME" text)',
      'create table b ("ID" serial primary key, id integer default 1, "A_id" integer references a, a_id integer)',
    )
    expect(fieldsOf('a')).toEqual(['name'])
    expect(fieldsOf('b')).toEqual([])
    for (const [left, kept] of [
      ['Id', 'id'],
      ['Name', 'name'],
      ['NAME', 'name'],
      ['id', 'ID'],
      ['a_id', 'A_id'],
    ])
      expect(source).toContain(
        `// The column "${left}" is left out: its name differs from "${kept}" only in the case of letters`,
      )
    const a = await store.resource('a').create({ name: 'x' })
    const b = await store.resource('b').create({ A_id: a.id })
    expect(b).toMatchObject({ A_id: a.id, A: a })
    expect(await store.resource('b').find(b.id)).toEqual(b)
  })

  test('only reads a table whose rows need both columns', async () => {
    const { tables, source } = await described(
      'create table a (id serial primary key, "Name" text not null, name text not null)',
      'create table b (id serial primary key, "A" integer references b, a integer references b)',
      'create table c (id serial primary key)',
    )
    expect(tables.get('a')).toEqual({ resource: 'a' })
    const reason = 'of its column "Name", its name differs from "name" only in the case of letters'
    expect(source).toContain(`// Requests only read it: ${reason}`)
    expect(tables.get('b')).toEqual({ reason: expect.stringContaining("its column 'a' is already that of 'A'") })
  })
})
