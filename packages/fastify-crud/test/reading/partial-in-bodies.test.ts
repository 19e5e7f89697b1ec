import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const shelves = defineResources({
  shelf: {
    fields: { kind: Type.String() },
    relations: { books: owns.many('book'), lamp: owns.one('lamp') },
    columns: { kind: 'partial' },
  },
  book: { fields: { name: Type.String() }, relations: { shelf: ownedBy('shelf') } },
  lamp: { fields: { name: Type.String() }, relations: { shelf: ownedBy('shelf') } },
})

describeOnBoth('`partial`', (database) => {
  const service = useApp(database, shelves)

  test('is no property: a PUT with it is 400 at each place, and says why', async () => {
    const body = { kind: 'k', books: [{ name: 'a' }, { name: 'b' }], lamp: { name: 'l' } }
    const shelf = await service.add('/api/shelf', body)
    const [a, b] = shelf.books
    const path = `/api/shelf/${shelf.id}`
    const partial = true
    const cut = { ...shelf, partial, books: [{ ...a, partial }, { name: 'new', partial: false }, b], lamp: { partial } }
    const pointers = ['/partial', '/books/0/partial', '/books/1/partial', '/lamp/partial', '/lamp/name']
    const { errors } = await service.refuse('PUT', path, cut, { code: 'CRUD_ERR_INVALID', pointers })
    const messages = new Map(errors.map(({ pointer, message }: JsonBody) => [pointer, message]))
    expect(messages.get('/partial')).toMatch(
      /^marks a shelf that is incomplete: PUT needs the whole record; send a part by PATCH/,
    )
    expect(messages.get('/books/1/partial')).toMatch(/^marks a book/)
    await service.refuse(
      'PUT',
      '/api/shelf',
      { ...shelf, partial },
      { code: 'CRUD_ERR_INVALID', pointers: ['/partial'] },
    )
  })

  test('is an unknown property of a POST, and of a new record in a PATCH', async () => {
    const { id } = await service.add('/api/shelf', { kind: 'k' })
    const unknown = (pointer: string) => ({ code: 'CRUD_ERR_INVALID', pointers: [pointer] }) as const
    const { errors } = await service.refuse('POST', '/api/shelf', { kind: 'x', partial: true }, unknown('/partial'))
    expect(errors[0].message).toMatch(/^shelf has no property 'partial'/)
    const added = { books: [{ name: 'a', partial: true }] }
    await service.refuse('PATCH', `/api/shelf/${id}`, added, unknown('/books/0/partial'))
  })

  test('is ignored by PATCH, so that what `fields` has cut can be sent back', async () => {
    const shelf = await service.add('/api/shelf', {
      kind: 'k',
      books: [{ name: 'a' }, { name: 'b' }],
      lamp: { name: 'l' },
    })
    const path = `/api/shelf/${shelf.id}`
    for (const query of ['fields=kind', 'fields=kind,books.name', 'include=-lamp', 'fields=lamp.name']) {
      const cut = await service.read(`${path}?${query}`)
      expect(cut.partial).toBe(true)
      expect(await service.patch(path, cut)).toMatchObject({ status: 200, body: shelf })
    }
    const partial = true
    const changed = { partial, kind: 'n', books: [{ ...shelf.books[0], partial, name: 'z' }, shelf.books[1]] }
    expect((await service.patch(path, changed)).body).toMatchObject({
      kind: 'n',
      books: [{ name: 'z' }, { name: 'b' }],
    })
  })

  test('is 400 beside an array that lacks records, at the array', async () => {
    const shelf = await service.add('/api/shelf', { kind: 'k', books: [{ name: 'a' }, { name: 'b' }] })
    const path = `/api/shelf/${shelf.id}`
    const cut = await service.read(`${path}?nested[books][limit]=1`)
    expect(cut).toMatchObject({ partial: true, books: [{ name: 'a' }] })
    for (const body of [cut, { partial: true, books: [] }, { partial: true, books: [{ name: 'new' }] }]) {
      const refused = { code: 'CRUD_ERR_INVALID', pointers: ['/books'] } as const
      const { errors } = await service.refuse('PATCH', path, { ...body, kind: 'n' }, refused)
      expect(errors[0].message).toBe("lacks some of the books, because 'partial' marks this record: leave out books")
    }
    expect(await service.read(path)).toEqual(shelf)
  })

  test('is true where it is there', async () => {
    const { id } = await service.add('/api/shelf', { kind: 'k' })
    const body = { partial: false }
    await service.refuse('PATCH', `/api/shelf/${id}`, body, { code: 'CRUD_ERR_INVALID', pointers: ['/partial'] })
  })
})
