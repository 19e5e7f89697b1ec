import Fastify from 'fastify'
import { createStore, crudPlugin, defineResources, type Model } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import { makeShelf, shelf } from './shelf.ts'

describeOnBoth('a policy of a view', (database) => {
  const everything = { author: true, book: true, sale: true, review: true }
  const service = useApp(database, shelf, {
    tables: makeShelf,
    plugin: {
      policies: { ...everything, offer: { View: ({ eb }) => eb('price', '<', 6) } },
    },
  })

  test('hides its rows, here and where others name them', async () => {
    const ada = await service.add('/api/author', { name: 'Ada' })
    const [cheap, other] = [5, 8].map((price) => ({ title: `for ${price}`, price, authorId: ada.id }))
    const { id } = await service.add('/api/book', cheap)
    const hidden = await service.add('/api/book', other)
    expect((await service.read('/api/offer')).count).toBe(1)
    expect((await service.get(`/api/offer/${hidden.id}`)).status).toBe(404)
    expect((await service.read(`/api/author/${ada.id}?fields=count(offers)`))['count(offers)']).toBe(1)
    await service.add('/api/review', { text: 'good', offerId: id })
    await service.refuse(
      'POST',
      '/api/review',
      { text: 'good', offerId: hidden.id },
      { code: 'CRUD_ERR_UNKNOWN_REFERENCE' },
    )
  })
})

describeOnBoth('authorize', (database) => {
  const asked: unknown[] = []
  const service = useApp(database, shelf, {
    tables: makeShelf,
    plugin: {
      authorize(_, { action, resource, id }) {
        asked.push([action, resource, id])
        return true
      },
    },
  })

  test('is asked for View of a view, and not of what is 405', async () => {
    const { id } = await service.add('/api/author', { name: 'Ada' })
    asked.length = 0
    await service.read(`/api/sale/${id}`)
    expect(asked).toContainEqual(['View', 'sale', id])
    asked.length = 0
    expect((await service.patch(`/api/sale/${id}`, { books: 1 })).status).toBe(405)
    expect(asked).toEqual([])
  })
})

describeOnBoth('what only writes would need', (database) => {
  const service = useApp(database, shelf, { tables: makeShelf })
  let start: (options: object) => Promise<unknown>

  beforeEach(() => {
    start = async (options) => {
      const fastify = Fastify()
      try {
        await fastify.register(crudPlugin, { db: service.db, resources: shelf, ...options })
        await fastify.ready()
      } finally {
        await fastify.close()
      }
    }
  })

  test('rules and handlers stop the start', async () => {
    const why = 'rules.offer: never run, because no request writes an offer: it has writable: false'
    await expect(start({ rules: { offer: { validate() {} } } })).rejects.toThrow(why)
    const create = { access: { action: 'Add' }, handler() {} }
    await expect(start({ handlers: { offer: { create } } })).rejects.toThrow(
      'handlers.offer.create: there is no such route, as offer has writable: false; add one of your own',
    )
    const list = { access: { action: 'View' }, handler() {} }
    await expect(start({ handlers: { offer: { list } } })).resolves.toBeUndefined()
  })

  test('the store has no methods that write', async () => {
    const store = createStore({ db: service.db, resources: shelf }) as unknown as Record<string, object>
    expect(Object.keys(store.offer ?? {})).toEqual(['find', 'list', 'group', 'owned'])
    expect(Object.keys(store.book ?? {})).toContain('create')
  })
})

test('a model without any record that is written can be served', () => {
  expect(() => defineResources({ a: { writable: false } }) satisfies Model).not.toThrow()
})
