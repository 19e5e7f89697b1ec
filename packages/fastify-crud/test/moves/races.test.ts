import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { clientGivesIds } from '../../../../test/support/test-ids.ts'

const name = Type.String()

const boards = defineResources({
  board: { fields: { name }, relations: { lists: owns.many('list') } },
  list: {
    topLevel: true,
    fields: { name },
    relations: { board: ownedBy('board', { moves: true }), items: owns.many('item', { order: 'position' }) },
  },
  item: { topLevel: true, fields: { name }, relations: { list: ownedBy('list', { moves: true }) } },
  folder: {
    fields: { name },
    relations: { parent: ownedBy('folder', { optional: true, moves: true }), folders: owns.many('folder') },
  },
})

const ROUNDS = 6

describeOnDatabases('moves at the same time', (database) => {
  const service = useApp(database, boards)
  let first: JsonBody
  let second: JsonBody

  beforeEach(async () => {
    const lists = (letter: string) => [
      { name: letter, items: [{ name: `${letter}1` }, { name: `${letter}2` }] },
      { name: `${letter}'` },
    ]
    first = await service.add('/api/board', { name: 'first', lists: lists('a') })
    second = await service.add('/api/board', { name: 'second', lists: lists('b') })
  })

  const at = (list: JsonBody, item?: JsonBody) =>
    `/api/board/${list.boardId}/list/${list.id}${item === undefined ? '' : `/item/${item.id}`}`
  const statuses = async (requests: readonly Promise<{ readonly status: number }>[]): Promise<number[]> =>
    (await Promise.all(requests)).map(({ status }) => status)
  const rowsOf = async (table: string): Promise<JsonBody[]> => (await service.read(`/api/${table}?limit=100`)).rows

  test('of one record come one after the other: by its path the later finds it gone, at the top it moves on', async () => {
    const [a, aa] = first.lists
    const [b] = second.lists
    const [item] = a.items
    for (let round = 0; round < ROUNDS; round++) {
      const { listId } = await service.read(`/api/item/${item.id}`)
      const { boardId } = await service.read(`/api/list/${listId}`)
      const path = `/api/board/${boardId}/list/${listId}/item/${item.id}`
      const others = [a, aa, b].filter(({ id }) => id !== listId)
      const found = await statuses(others.map(({ id }) => service.patch(path, { listId: id })))
      expect(found.sort()).toEqual([200, 404])
      const atTop = await statuses([a, aa, b].map(({ id }) => service.patch(`/api/item/${item.id}`, { listId: id })))
      expect(atTop).toEqual([200, 200, 200])
    }
    const shown = (await rowsOf('list')).flatMap(({ items }) => items).filter(({ id }) => id === item.id)
    expect(shown.length).toBe(1)
  })

  test('and a DELETE of either owner leave the record in one place, or nowhere', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [one, two] = [
        await service.add('/api/board', { name: 'one', lists: [{ name: 'x', items: [{ name: 'i' }] }] }),
        await service.add('/api/board', { name: 'two', lists: [{ name: 'y' }] }),
      ]
      const [[x], [y]] = [one.lists, two.lists]
      const gone = round % 2 === 0 ? one : two
      const [moved, deleted] = await statuses([
        service.patch(at(x, x.items[0]), { listId: y.id }),
        service.delete(`/api/board/${gone.id}`),
      ])
      expect(deleted).toBe(204)
      expect([200, gone === one ? 404 : 400]).toContain(moved)
      const left = (await service.get(`/api/item/${x.items[0].id}`)).status
      expect(left).toBe((gone === one) === (moved === 200) ? 200 : 404)
    }
  })

  test('and a PUT of either owner’s array are as if one came after the other', async () => {
    const [a] = first.lists
    const [b] = second.lists
    const [item] = a.items
    for (const list of [a, b]) {
      const shown = await service.read(at(list))
      const { listId } = await service.read(`/api/item/${item.id}`)
      const to = listId === a.id ? b.id : a.id
      const [moved, put] = await statuses([
        service.patch(`/api/item/${item.id}`, { listId: to }),
        service.put(at(list), { ...shown, name: 'put' }),
      ])
      // What a PUT does not list is removed; what it lists and is gone from the array is not there, or another's.
      expect([200, 404]).toContain(moved)
      expect([200, clientGivesIds ? 409 : 400]).toContain(put)
      if ((await service.get(`/api/item/${item.id}`)).status === 404) break
    }
    const items = (await rowsOf('list')).flatMap((one) => one.items)
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
  })

  test('of lists and of their items, by both ways, leave every record with one owner', async () => {
    const lists = [...first.lists, ...second.lists]
    const items = lists.flatMap((one) => one.items)
    for (let round = 0; round < ROUNDS; round++) {
      const found = await statuses([
        ...lists.map(({ id }, index) =>
          service.patch(`/api/list/${id}`, { boardId: (index + round) % 2 === 0 ? first.id : second.id }),
        ),
        ...items.map(({ id }, index) =>
          service.patch(`/api/item/${id}`, { listId: lists[(index + round) % lists.length].id }),
        ),
        service.patch(
          '/api/item',
          items.map(({ id }, index) => ({ id, listId: lists[(index + round + 1) % lists.length].id })),
        ),
      ])
      expect(
        found.every((status) => status === 200),
        String(found),
      ).toBe(true)
    }
    expect((await rowsOf('list')).flatMap((one) => one.items).length).toBe(items.length)
    const read = await Promise.all([first, second].map(({ id }) => service.read(`/api/board/${id}`)))
    expect(read.flatMap((one) => one.lists).length).toBe(lists.length)
  })

  test('that would close a circle in a tree: one of them is refused', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const one = await service.add('/api/folder', { name: 'one', folders: [{ name: 'x', folders: [{ name: 'xx' }] }] })
      const two = await service.add('/api/folder', { name: 'two', folders: [{ name: 'y', folders: [{ name: 'yy' }] }] })
      const [deepOne, deepTwo] = [one.folders[0].folders[0], two.folders[0].folders[0]]
      const found = await statuses([
        service.patch(`/api/folder/${one.id}`, { parentId: deepTwo.id }),
        service.patch(`/api/folder/${two.id}`, { parentId: deepOne.id }),
      ])
      expect(found.sort()).toEqual([200, 400])
      const roots = (await Promise.all([one, two].map(({ id }) => service.read(`/api/folder/${id}`)))).filter(
        ({ parentId }) => parentId === null,
      )
      expect(JSON.stringify(roots[0]).match(/"name"/g)?.length).toBe(6)
    }
  })
})

const shop = defineResources({
  order: { fields: { name }, relations: { lines: owns.many('line') } },
  line: {
    topLevel: true,
    authorizedBy: 'owner',
    fields: { name },
    relations: { order: ownedBy('order', { moves: true }) },
  },
})

describeOnDatabases('writes at the top of records that move meanwhile', (database) => {
  const asked: unknown[] = []
  const service = useApp(database, shop, {
    plugin: { authorize: (_, { action, resource, id }) => asked.push(`${action} ${resource} ${id}`) > 0 },
  })

  test('find them at their new owners, which are asked', async () => {
    const orders: JsonBody[] = []
    for (const one of ['a', 'b', 'c']) orders.push(await service.add('/api/order', { name: one }))
    const line = await service.add('/api/line', { name: 'l', orderId: orders[0].id })
    for (let round = 0; round < ROUNDS; round++) {
      asked.length = 0
      const found = await Promise.all([
        ...orders.map(({ id }) => service.patch(`/api/line/${line.id}`, { orderId: id })),
        ...orders.map(({ name }) => service.patch(`/api/line/${line.id}`, { name })),
      ])
      expect(found.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
      for (const { id } of orders) expect(asked).toContain(`Edit order ${id}`)
    }
  })
})
