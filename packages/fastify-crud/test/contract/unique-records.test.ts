import { Type } from '@sinclair/typebox'
import { defineResources, needs } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const books = defineResources({
  publisher: { fields: { name: Type.String() } },
  book: {
    fields: { title: Type.String(), isbn: Type.Optional(Type.String()) },
    relations: { publisher: needs.one('publisher') },
    unique: [['isbn'], ['publisher', 'title']],
  },
})

describeOnDatabases('a unique constraint', (database) => {
  const service = useApp(database, books)
  let publisherId: number
  let book: JsonBody

  beforeEach(async () => {
    publisherId = (await service.add('/api/publisher', { name: 'p' })).id
    book = await service.add('/api/book', { title: 't', isbn: '1', publisherId })
  })

  test('409, names the field, with the pointer', async () => {
    const other = await service.add('/api/book', { title: 'u', isbn: '2', publisherId })
    const refused = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/isbn'], detail: /isbn/ } as const
    await service.refuse('POST', '/api/book', { title: 'v', isbn: '1', publisherId }, refused)
    await service.refuse('PUT', `/api/book/${other.id}`, { title: 'v', isbn: '1', publisherId }, refused)
    await service.refuse('PATCH', `/api/book/${other.id}`, { isbn: '1' }, refused)
  })

  test('409, names the fields of a constraint over several, relations included', async () => {
    const other = await service.add('/api/book', { title: 'u', publisherId })
    const refused = { code: 'CRUD_ERR_NOT_UNIQUE', detail: /publisher.*title|title.*publisher/ } as const
    await service.refuse('POST', '/api/book', { title: 't', publisherId }, refused)
    await service.refuse('PATCH', `/api/book/${other.id}`, { title: 't' }, refused)
    const second = await service.add('/api/publisher', { name: 'q' })
    const moved = await service.add('/api/book', { title: 't', publisherId: second.id })
    await service.refuse('PATCH', `/api/book/${moved.id}`, { publisherId }, refused)
  })

  test('null is no value: it may stand in any number of records', async () => {
    for (const title of ['a', 'b']) expect((await service.add('/api/book', { title, publisherId })).isbn).toBeNull()
  })

  test('a record may keep its own value', async () => {
    expect((await service.put(`/api/book/${book.id}`, book)).body).toEqual(book)
    expect((await service.patch(`/api/book/${book.id}`, { isbn: '1' })).body).toEqual(book)
  })

  test('values that differ in case or spaces are different values', async () => {
    for (const title of ['T', 't ', 'ţ'])
      expect((await service.add('/api/book', { title, publisherId })).title).toBe(title)
  })

  test('the value of a deleted record is free', async () => {
    await service.delete(`/api/book/${book.id}`)
    expect((await service.add('/api/book', { title: 't', isbn: '1', publisherId })).isbn).toBe('1')
  })
})
