import { Type } from '@sinclair/typebox'
import { createStore, defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { CamelCasePlugin } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { ada, asCaller, caller } from './support/as-caller.ts'

const words = defineResources({
  order: {
    fields: { select: Type.String(), orgId: Type.Integer() },
    relations: { groups: owns.many('group'), table: knows.one('table') },
  },
  group: { fields: { where: Type.String() }, relations: { order: ownedBy('order') } },
  table: { fields: { name: Type.String() } },
})

describeOnBoth('policies over tables and columns that are called like words of SQL', (database) => {
  const service = useApp(database, words, {
    plugin: {
      caller,
      policies: {
        order: ({ eb, my }) => eb('order.orgId', '=', my('org')),
        table: ({ eb }) =>
          eb.exists(eb.selectFrom('order').select('order.id').whereRef('order.tableId', '=', 'table.id')),
        group: ({ eb }) => eb('group.where', '!=', 'zebra'),
      },
    },
  })
  const client = asCaller(service, ada)

  test('are like others', async () => {
    const all = createStore({ db: service.db, resources: words })
    const table = await all.table.create({ name: 't' })
    const groups = [{ where: 'zebra' }, { where: 'x' }]
    const order = await all.order.create({ select: 's', orgId: 1, tableId: table.id, groups })
    await all.order.create({ select: 'zebra', orgId: 2 })
    await all.table.create({ name: 'zebra' })
    expect((await client.read('/api/order')).rows).toEqual([{ ...order, groups: order.groups.slice(1) }])
    expect((await client.read('/api/table')).rows).toEqual([table])
    const path = `/api/order/${order.id}`
    expect((await client.patch(path, { select: 't', groups: [{ where: 'y' }] })).status).toBe(200)
    await client.refuse('PATCH', path, { orgId: 2 }, { code: 'CRUD_ERR_FORBIDDEN' })
  })
})

const shelves = defineResources({
  bookShelf: {
    fields: { shelfName: Type.String(), orgId: Type.Integer() },
    relations: { shelfBooks: owns.many('shelfBook') },
  },
  shelfBook: {
    fields: { bookTitle: Type.String(), addedBy: Type.Integer() },
    relations: { bookShelf: ownedBy('bookShelf') },
  },
})

describeOnBoth('policies over a Kysely instance with `CamelCasePlugin`', (database) => {
  const service = useApp(database, shelves, {
    kysely: [new CamelCasePlugin()],
    plugin: {
      caller,
      policies: {
        bookShelf: ({ eb, my }) =>
          eb.and([
            eb('bookShelf.orgId', '=', my('org')),
            eb.not(
              eb.exists(
                eb
                  .selectFrom('shelfBook')
                  .select('shelfBook.id')
                  .whereRef('shelfBook.bookShelfId', '=', 'bookShelf.id')
                  .where('shelfBook.bookTitle', '=', 'banned'),
              ),
            ),
          ]),
        shelfBook: ({ eb, my }) => eb('addedBy', '=', my('id')),
      },
    },
  })
  const client = asCaller(service, ada)
  const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

  test('name tables and columns as queries of this instance do', async () => {
    const all = createStore({ db: service.db, resources: shelves })
    const shelfBooks = [
      { bookTitle: 'b', addedBy: 1 },
      { bookTitle: 'zebra', addedBy: 2 },
    ]
    const banned = [{ bookTitle: 'banned', addedBy: 1 }]
    const shelf = await all.bookShelf.create({ shelfName: 'ours', orgId: 1, shelfBooks })
    await all.bookShelf.create({ shelfName: 'zebra', orgId: 1, shelfBooks: banned })
    const shown = { ...shelf, shelfBooks: shelf.shelfBooks.slice(0, 1) }
    expect((await client.read('/api/bookShelf')).rows).toEqual([shown])
    const path = `/api/bookShelf/${shelf.id}`
    await client.refuse('PATCH', path, { orgId: 2 }, forbidden)
    await client.refuse('PATCH', path, { shelfName: 'x', shelfBooks: banned }, forbidden)
  })
})
