import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
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

describeOnDatabases('`partial`', (database) => {
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
    expect(messages.get('/partial')).toMatch(/^marks a shelf .* PUT .* whole record, .* PATCH/)
    expect(messages.get('/books/1/partial')).toMatch(/^marks a book/)
    await service.refuse(
      'PUT',
      '/api/shelf',
      { ...shelf, partial },
      { code: 'CRUD_ERR_INVALID', pointers: ['/partial'] },
    )
  })

  test('is an unknown property of other bodies', async () => {
    const { id } = await service.add('/api/shelf', { kind: 'k' })
    const unknown = { code: 'CRUD_ERR_INVALID', pointers: ['/partial'] } as const
    for (const [method, path] of [
      ['POST', '/api/shelf'],
      ['PATCH', `/api/shelf/${id}`],
    ] as const) {
      const { errors } = await service.refuse(method, path, { kind: 'x', partial: true }, unknown)
      expect(errors[0].message).toMatch(/^shelf has no property 'partial'/)
    }
  })
})
