import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { anyId } from '../../../../test/support/test-ids.ts'

// `place` may be null and is unique for each owner; `code` may not and is unique everywhere.
const shelf = defineResources({
  shelf: { fields: { name: Type.String() }, relations: { books: owns.many('book') } },
  book: {
    fields: { place: Type.Optional(Type.Integer()), code: Type.String() },
    relations: { shelf: ownedBy('shelf') },
    unique: [['shelf', 'place'], ['code']],
  },
})

describeOnDrivers('unique values of children within one write', (database) => {
  const service = useApp(database, shelf)
  let owner: JsonBody
  let path: string
  let c1: JsonBody
  let c2: JsonBody
  let c3: JsonBody

  beforeEach(async () => {
    const books = [1, 2, 3].map((n) => ({ place: n, code: `x${n}` }))
    owner = await service.add('/api/shelf', { name: 'a', books })
    path = `/api/shelf/${owner.id}`
    ;[c1, c2, c3] = owner.books
  })

  const put = (books: unknown[]) => service.put(path, { name: 'a', books })

  test('PUT swaps two values: 200, ids kept', async () => {
    const swapped = [{ ...c1, place: c2.place }, { ...c2, place: c1.place }, c3]
    const { status, body } = await put(swapped)
    expect(status).toBe(200)
    expect(body.books).toEqual(swapped)
    expect(await service.read(path)).toEqual(body)
  })

  test('PUT swaps two values that may not be null: 200, ids kept', async () => {
    const swapped = [{ ...c1, code: c2.code }, { ...c2, code: c1.code }, c3]
    const { status, body } = await put(swapped)
    expect(status).toBe(200)
    expect(body.books).toEqual(swapped)
  })

  test('PATCH swaps two values: 200', async () => {
    const { status, body } = await service.patch(path, {
      books: [
        { id: c1.id, place: c2.place, code: c2.code },
        { id: c2.id, place: c1.place, code: c1.code },
      ],
    })
    expect(status).toBe(200)
    expect(body.books).toEqual([
      { ...c1, place: c2.place, code: c2.code },
      { ...c2, place: c1.place, code: c1.code },
      c3,
    ])
  })

  test('three children rotate their values in one PUT: 200', async () => {
    const rotated = [
      { ...c1, place: c2.place, code: c2.code },
      { ...c2, place: c3.place, code: c3.code },
      { ...c3, place: c1.place, code: c1.code },
    ]
    const { status, body } = await put(rotated)
    expect(status).toBe(200)
    expect(body.books).toEqual(rotated)
  })

  test('a chain: each takes the value of the next, the last a new one: 200', async () => {
    const moved = [
      { ...c1, place: 2, code: 'x2' },
      { ...c2, place: 3, code: 'x3' },
      { ...c3, place: 4, code: 'x4' },
    ]
    for (const books of [moved, [...moved].reverse()]) {
      expect((await put(books)).body.books).toEqual(moved)
      expect((await put(owner.books)).body.books).toEqual(owner.books)
    }
  })

  test('a child is not listed, a new child takes its value: 200, new id', async () => {
    const { status, body } = await put([{ place: c1.place, code: c1.code }, c2, c3])
    expect(status).toBe(200)
    expect(body.books).toEqual([c2, c3, { id: anyId, place: c1.place, code: c1.code }])
    expect(body.books[2].id).not.toBe(c1.id)
  })

  test('a child is removed and another one takes its value: 200', async () => {
    const { status, body } = await put([{ ...c2, place: c1.place, code: c1.code }, c3])
    expect(status).toBe(200)
    expect(body.books).toEqual([{ ...c2, place: c1.place, code: c1.code }, c3])
  })

  test('a child gives its value to a new one: 200', async () => {
    const { status, body } = await put([{ place: c1.place, code: c1.code }, { ...c1, place: 9, code: 'x9' }, c2, c3])
    expect(status).toBe(200)
    expect(body.books[3]).toEqual({ id: anyId, place: c1.place, code: c1.code })
  })

  test('two elements of one body with the same value: 409, both pointers', async () => {
    const twice = [{ place: 7, code: 'a' }, c2, { place: 7, code: 'b' }]
    const refused = {
      code: 'CRUD_ERR_NOT_UNIQUE',
      pointers: ['/books/0/place', '/books/2/place'],
      detail: /place/,
    } as const
    await service.refuse('PUT', path, { name: 'new', books: twice }, refused)
    await service.refuse('PATCH', path, { name: 'new', books: twice }, refused)
    const codes = [{ code: 'a' }, { code: 'b' }, { code: 'a' }]
    await service.refuse(
      'POST',
      '/api/shelf',
      { name: 'new', books: codes },
      {
        code: 'CRUD_ERR_NOT_UNIQUE',
        pointers: ['/books/0/code', '/books/2/code'],
        detail: /code/,
      },
    )
  })

  test('the value of a child that is there and keeps it: 409', async () => {
    const refused = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/books/0/place'] } as const
    await service.refuse('PATCH', path, { books: [{ place: c1.place, code: 'new' }] }, refused)
    await service.refuse('PATCH', path, { books: [{ id: c2.id, place: c1.place }] }, refused)
  })

  test('the value is held under another owner, the constraint is global: 409, nothing stored', async () => {
    const refused = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/books/1/code'], detail: /code/ } as const
    const books = [{ code: 'new' }, { code: c1.code }]
    await service.refuse('POST', '/api/shelf', { name: 'b', books }, refused)
    const other = await service.add('/api/shelf', { name: 'b' })
    await service.refuse('PUT', `/api/shelf/${other.id}`, { name: 'c', books }, refused)
    await service.refuse('PATCH', `/api/shelf/${other.id}`, { name: 'c', books }, refused)
    await service.refuse(
      'POST',
      `/api/shelf/${other.id}/book`,
      { code: c1.code },
      {
        code: 'CRUD_ERR_NOT_UNIQUE',
        pointers: ['/code'],
      },
    )
  })

  test('the constraint is per owner: another owner may hold the value', async () => {
    const { books } = await service.add('/api/shelf', { name: 'b', books: [{ place: 1, code: 'y' }] })
    expect(books[0].place).toBe(c1.place)
  })

  test('unique (owner, place) with place null twice: 200', async () => {
    const { status, body } = await put([{ code: 'a' }, { place: null, code: 'b' }, { ...c1, place: null }])
    expect(status).toBe(200)
    expect(body.books.map((book: JsonBody) => book.place)).toEqual([null, null, null])
  })

  test('through the nested endpoint: 409', async () => {
    await service.refuse('PATCH', `${path}/book/${c1.id}`, { place: c2.place }, { code: 'CRUD_ERR_NOT_UNIQUE' })
    await service.refuse(
      'PUT',
      `${path}/book/${c1.id}`,
      { code: c2.code },
      {
        code: 'CRUD_ERR_NOT_UNIQUE',
        pointers: ['/code'],
      },
    )
    await service.refuse('POST', `${path}/book`, { place: c2.place, code: 'z' }, { code: 'CRUD_ERR_NOT_UNIQUE' })
  })
})
