import { type AnyKysely, createStore, defineActions, defineResources, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  list: {
    fields: { name: Type.String() },
    relations: { items: owns.many('item', { order: 'position' }) },
    history: true,
  },
  item: {
    topLevel: true,
    fields: { name: Type.String() },
    relations: { list: ownedBy('list', { moves: true }) },
  },
})

const actions = defineActions(resources, {
  list: {
    turn: {
      asks: 'Edit',
      async run({ id, store }) {
        const { items } = await store.list.find(id)
        for (const { id: item } of items)
          await store.item.patch(item, { $before: items[0]?.id === item ? null : items[0]?.id })
      },
    },
  },
})

describeOnBoth('An undo of several writes that were done as one', (database) => {
  let open: OpenDatabase
  let db: AnyKysely
  beforeEach(async () => {
    open = await database.open()
    db = open.db
    await createTables(db, resources)
  })
  afterEach(() => open.close())

  const rows = async () =>
    (await db.selectFrom('item').selectAll().orderBy('id').execute()).map((row) => JSON.stringify(row))

  /** Does it with two lists, the first of three items, and undoes it. */
  const undone = async (work: (store: ReturnType<typeof storeOf>) => Promise<unknown>) => {
    const store = storeOf(db)
    await store.list.create({ name: 'one', items: ['a', 'b', 'c'].map((name) => ({ name })) })
    await store.list.create({ name: 'two' })
    const before = await rows()
    await work(store)
    expect(await rows()).not.toEqual(before)
    const { rows: writes } = await store.list.history(1)
    await store.list.undo(1, writes[0]?.write ?? '')
    return [before, await rows()] as const
  }

  const batches: [what: string, requests: { path: string; body: object }[]][] = [
    ['one place', [{ path: '/item/3', body: { $before: 1 } }]],
    [
      'places of several elements',
      [
        { path: '/item/3', body: { $before: 1 } },
        { path: '/item/1', body: { $before: 3 } },
        { path: '/item/2', body: { $before: 1 } },
      ],
    ],
    [
      'a move, and a place in front of what has moved',
      [
        { path: '/item/2', body: { listId: 2 } },
        { path: '/item/3', body: { listId: 2, $before: 2 } },
        { path: '/list/2', body: { items: [{ name: 'd', $before: 3 }] } },
      ],
    ],
    [
      'a move to and fro',
      [
        { path: '/item/3', body: { listId: 2, name: 'x' } },
        { path: '/item/3', body: { listId: 1, $before: 1 } },
      ],
    ],
  ]

  test.each(batches)('sets back the rows as they were: a batch of %s', async (_, requests) => {
    const [before, after] = await undone((store) =>
      store.batch(requests.map((request) => ({ method: 'PATCH', ...request })) as never),
    )
    expect(after).toEqual(before)
  })

  test('sets back the rows as they were: an action', async () => {
    const [before, after] = await undone((store) => store.list.act(1, 'turn'))
    expect(after).toEqual(before)
  })
})

function storeOf(db: AnyKysely) {
  return createStore({ db, resources, actions })
}
