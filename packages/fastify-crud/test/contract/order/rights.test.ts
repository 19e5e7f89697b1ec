import { Type } from '@sinclair/typebox'
import { createStore, defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { missingId, withTestIds } from '../../../../../test/support/test-ids.ts'

const name = Type.String()

const lists = defineResources({
  list: {
    softDelete: 'deletedAt',
    fields: { name, isLocked: Type.Optional(Type.Boolean()) },
    relations: { items: owns.many('item', { order: 'position' }), tags: knows.many('tag', { order: 'position' }) },
  },
  item: {
    softDelete: 'deletedAt',
    fields: { name, isSecret: Type.Optional(Type.Boolean()), isFrozen: Type.Optional(Type.Boolean()) },
    relations: { list: ownedBy('list') },
  },
  tag: { fields: { name, isSecret: Type.Optional(Type.Boolean()) } },
})

describeOnBoth('an order, and who may see and change it', (database) => {
  const seen: unknown[] = []
  const asked: unknown[] = []
  const isShown =
    (resource: string) =>
    ({ eb }: JsonBody) =>
      eb.not(eb.fn.coalesce(`${resource}.isSecret`, eb.lit(false)))
  const rule = (resource: string) => ({
    validate: ({ action, changedBelow }: JsonBody) => void seen.push([resource, action, changedBelow ?? []]),
  })
  const service = useApp(database, lists, {
    plugin: {
      caller: () => ({ id: 1 }),
      policies: {
        item: {
          View: isShown('item'),
          Add: true,
          Edit: ({ eb }: JsonBody) => eb.not(eb.fn.coalesce('item.isFrozen', eb.lit(false))),
          Delete: true,
        },
        tag: { View: isShown('tag') },
        list: { View: true, Edit: ({ eb }: JsonBody) => eb.not(eb.fn.coalesce('list.isLocked', eb.lit(false))) },
      } as never,
      rules: { list: rule('list'), item: rule('item') } as never,
      authorize: (_, { action, resource }) => asked.push(`${action} ${resource}`) > 0,
    },
  })
  const all = () => createStore({ db: service.db, resources: withTestIds(lists) })
  let list: JsonBody
  let path: string

  beforeEach(async () => {
    const secret = { isSecret: true }
    const items = [{ name: 'x', ...secret }, { name: 'a' }, { name: 'y', ...secret }, { name: 'b' }, { name: 'c' }]
    const tags: JsonBody[] = []
    for (const one of items) tags.push(await all().tag.create(one))
    list = await all().list.create({ name: 'l', items, tags: tags.map(({ id }) => ({ id })) } as never)
    path = `/api/list/${list.id}`
    seen.length = asked.length = 0
  })

  const idOf = (wanted: string, of = 'items') => list[of].find((one: JsonBody) => one.name === wanted).id
  const names = (record: JsonBody, of = 'items'): string => record[of].map((one: JsonBody) => one.name).join('')
  const stored = async (of = 'items'): Promise<string> => names(await all().list.find(list.id), of)

  test('hidden elements stay behind the visible one that they followed', async () => {
    const shown = await service.read(path)
    expect(names(shown)).toBe('abc')
    const [a, b, c] = shown.items
    expect(names((await service.put(path, { ...shown, items: [c, a, b] })).body)).toBe('cab')
    expect(await stored()).toBe('xcayb')
    await service.patch(`${path}/item/${a.id}`, { $before: null })
    expect(await stored()).toBe('xcbay')
    await service.patch(path, { items: [{ id: a.id, $remove: true }, { name: 'd' }] })
    expect(await stored()).toBe('xcbyd')
  })

  test('the same of links', async () => {
    const shown = await service.read(path)
    const [a, b, c] = shown.tags
    await service.put(path, { ...shown, tags: [c, a, b] })
    expect(await stored('tags')).toBe('xcayb')
    expect(await service.request('PUT', `${path}/tags/${a.id}`, { $before: null })).toMatchObject({ status: 204 })
    expect(await stored('tags')).toBe('xcbay')
  })

  test('what GET shows of them changes nothing in a PUT', async () => {
    const shown = await service.read(path)
    expect((await service.put(path, shown)).body).toEqual(shown)
    expect([await stored(), await stored('tags')]).toEqual(['xaybc', 'xaybc'])
  })

  test('a hidden sibling, and one that is deleted, are refused like one that is not there', async () => {
    await service.delete(`${path}/item/${idOf('c')}`)
    const refused = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/$before'] } as const
    const texts = new Set<string>()
    for (const $before of [idOf('y'), idOf('c'), missingId('item')]) {
      const problem = await service.refuse('PATCH', `${path}/item/${idOf('a')}`, { $before }, refused)
      texts.add(String(problem.errors[0].message).replace(String($before), ''))
      await service.refuse('PUT', `${path}/tags/${idOf('a', 'tags')}`, { $before: idOf('y', 'tags') }, refused)
    }
    expect(texts.size).toBe(1)
  })

  test('a place asks for the owner’s Edit, and gives the owner changedBelow; siblings run no rules', async () => {
    await service.patch(`${path}/item/${idOf('b')}`, { $before: idOf('a') })
    expect(seen).toEqual([['list', 'Edit', ['items']]])
    expect(asked).toEqual(expect.arrayContaining(['Edit item', 'Edit list']))
    seen.length = 0
    const shown = await service.read(path)
    await service.put(path, { ...shown, items: shown.items.toReversed() })
    expect(seen).toEqual([['list', 'Edit', ['items']]])
    await all().list.patch(list.id, { isLocked: true })
    for (const body of [{ $before: null }, { $before: idOf('a') }]) {
      const { status } = await service.patch(`${path}/item/${idOf('b')}`, body)
      expect(status).toBe(403)
    }
  })

  test('a place in the owner’s body asks nothing of the elements', async () => {
    for (const one of ['a', 'b', 'c']) await all().list.owned(list.id, 'items').patch(idOf(one), { isFrozen: true })
    const moved = [
      { id: idOf('a'), $before: null },
      { id: idOf('c'), $before: idOf('b') },
    ]
    expect(await service.patch(path, { items: moved })).toMatchObject({ status: 200 })
    expect(names(await service.read(path))).toBe('cba')
    expect((await service.patch(`${path}/item/${idOf('a')}`, { $before: idOf('b') })).status).toBe(403)
  })

  test('a deleted element keeps its number, and comes back to its place', async () => {
    await service.delete(`${path}/item/${idOf('b')}`)
    await service.add(`${path}/item`, { name: 'd', $before: idOf('c') })
    expect(await stored()).toBe('xaydc')
    await all().list.owned(list.id, 'items').restore(idOf('b'))
    expect(await stored()).toMatch(/^xay(?:bd|db)c$/)
    const rows = await service.db.selectFrom('item').select('position').execute()
    expect(new Set(rows.map(({ position }) => position)).size).toBe(rows.length)
  })
})
