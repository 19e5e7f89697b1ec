import { Type } from '@sinclair/typebox'
import { createStore, defineResources, type Id, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { missingId, withTestIds } from '../../../../test/support/test-ids.ts'

const name = Type.String()
const flag = Type.Optional(Type.Boolean())

const lists = defineResources({
  list: {
    softDelete: 'deletedAt',
    fields: { name, isLocked: flag, isSecret: flag },
    relations: { items: owns.many('item'), plain: owns.many('plain') },
  },
  item: {
    softDelete: 'deletedAt',
    fields: { name, isFixed: flag },
    relations: { list: ownedBy('list', { moves: true }), steps: owns.many('step') },
  },
  step: { softDelete: 'deletedAt', fields: { name, isFixed: flag }, relations: { item: ownedBy('item') } },
  plain: { softDelete: 'deletedAt', fields: { name }, relations: { list: ownedBy('list', { moves: true }) } },
})

const isNot =
  (column: string) =>
  ({ eb }: JsonBody) =>
    eb.not(eb.fn.coalesce(column, eb.lit(false)))

describeOnBoth('a move, and who may do it', (database) => {
  let refused: string[] = []
  const asked: string[] = []
  const origins = new Set<string>()
  const changes: unknown[] = []
  const rule = (resource: string) => ({
    validate: ({ action, before, after, owner, changedBelow, refuse }: JsonBody) => {
      changes.push([resource, action, before?.listId, after?.listId, owner?.after?.name, changedBelow ?? []])
      if (owner?.after?.name === 'full') refuse('the list is full')
    },
    invariant: {
      reads: ['name'],
      test: ({ after, refuse }: JsonBody) => void (after.name === 'broken' && refuse('is broken')),
    },
  })
  const service = useApp(database, lists, {
    plugin: {
      caller: () => ({ id: 1 }),
      authorize: (_, { action, resource, id, origin }) => {
        origins.add(`${origin.resource} ${origin.id}`)
        const question = [action, resource, id].filter((part) => part !== undefined).join(' ')
        asked.push(question)
        return !refused.includes(question)
      },
      policies: {
        list: { View: isNot('list.isSecret'), Add: true, Edit: isNot('list.isLocked'), Delete: true },
        item: { View: true, Add: isNot('item.isFixed'), Edit: true, Delete: isNot('item.isFixed') },
        step: { View: true, Add: true, Edit: isNot('step.isFixed'), Delete: true },
      } as never,
      rules: { list: rule('list'), item: rule('item') } as never,
    },
  })
  const all = () => createStore({ db: service.db, resources: withTestIds(lists) })
  let from: JsonBody
  let to: JsonBody
  const listOf = (values: object) => all().list.create({ name: 'l', ...values } as never) as Promise<JsonBody>
  const at = (item: JsonBody, of = 'item') => `/api/list/${from.id}/${of}/${item.id}`

  beforeEach(async () => {
    from = await listOf({ name: 'from', items: [{ name: 'a', steps: [{ name: 's' }] }], plain: [{ name: 'p' }] })
    to = await listOf({ name: 'to' })
    refused = []
    asked.length = changes.length = 0
    origins.clear()
  })

  test('asks `authorize` for Edit, and for Delete where the record was and Add where it will be', async () => {
    const [item] = from.items
    expect((await service.patch(at(item), { listId: to.id })).status).toBe(200)
    expect(asked.filter((one) => !one.startsWith('View'))).toEqual([
      `Edit item ${item.id}`,
      `Delete item ${item.id}`,
      'Add item',
    ])
    expect([...origins]).toEqual([`item ${item.id}`])
    for (const question of [`Delete item ${item.id}`, 'Add item']) {
      const [other] = (await listOf({ name: 'from', items: [{ name: 'b' }] })).items
      refused = [question.replace(String(item.id), String(other.id))]
      const response = await service.patch(`/api/list/${other.listId}/item/${other.id}`, { listId: to.id })
      expect([response.status, response.body.errors[0].pointer]).toEqual([403, '/listId'])
    }
  })

  test('asks the policies for the row as it was and as it will be, and for what goes with it', async () => {
    const fixed = await listOf({
      items: [
        { name: 'a', isFixed: true },
        { name: 'b', steps: [{ name: 's', isFixed: true }] },
        { name: 'c', steps: [{ name: 's' }] },
      ],
    })
    const statuses: number[] = []
    for (const { id } of fixed.items) {
      statuses.push((await service.patch(`/api/list/${fixed.id}/item/${id}`, { listId: to.id })).status)
    }
    expect(statuses).toEqual([403, 403, 200])
    const [, , moved] = fixed.items
    const becomes = await service.patch(`/api/list/${to.id}/item/${moved.id}`, { listId: from.id, isFixed: true })
    expect(becomes.status).toBe(403)
  })

  test('asks the Edit of both owners where the record has no policy of its own', async () => {
    const locked = await listOf({ isLocked: true, plain: [{ name: 'q' }] })
    const [plain] = from.plain
    expect((await service.patch(at(plain, 'plain'), { listId: locked.id })).status).toBe(403)
    const [kept] = locked.plain
    expect((await service.patch(`/api/list/${locked.id}/plain/${kept.id}`, { listId: to.id })).status).toBe(403)
    expect((await service.patch(at(plain, 'plain'), { listId: to.id })).status).toBe(200)
    // An item has one, so its owners are not asked.
    expect((await service.patch(at(from.items[0]), { listId: locked.id })).status).toBe(200)
  })

  test('an owner that the caller may not see, or that is deleted, is an unknown reference', async () => {
    const secret = await listOf({ isSecret: true })
    const gone = await listOf({})
    await all().list.delete(gone.id)
    const bodies: unknown[] = []
    for (const { id } of [secret, gone, { id: missingId('list') }]) {
      const { body } = await service.patch(at(from.items[0]), { listId: id })
      bodies.push(JSON.parse(JSON.stringify(body).replaceAll(String(id), 'ID')))
    }
    expect(bodies[0]).toMatchObject({ code: 'CRUD_ERR_UNKNOWN_REFERENCE', errors: [{ pointer: '/listId' }] })
    expect([bodies[1], bodies[2]]).toEqual([bodies[0], bodies[0]])
  })

  test('shows rules the row with both owners, and both owners what changes below them', async () => {
    const [item] = from.items
    await service.patch(at(item), { listId: to.id })
    expect(changes).toEqual([
      ['item', 'Edit', from.id, to.id, 'to', []],
      ['list', 'Edit', undefined, undefined, undefined, ['items']],
      ['list', 'Edit', undefined, undefined, undefined, ['items']],
    ])
    const full = await listOf({ name: 'full' })
    const refusal = await service.patch(`/api/list/${to.id}/item/${item.id}`, { listId: full.id })
    expect([refusal.status, refusal.body.detail]).toEqual([409, 'the list is full'])
    for (const one of [from, to]) {
      await all().list.patch(one.id, { name: 'broken' })
      const broken = await service.patch(`/api/list/${to.id}/item/${item.id}`, { listId: from.id })
      expect([broken.status, broken.body.detail]).toEqual([409, 'is broken'])
      await all().list.patch(one.id, { name: 'whole' })
    }
    expect((await service.patch(`/api/list/${to.id}/item/${item.id}`, { listId: from.id })).status).toBe(200)
  })
})

const trees = defineResources({
  folder: {
    fields: { name, isSecret: flag },
    relations: { parent: ownedBy('folder', { optional: true, moves: true }), folders: owns.many('folder') },
  },
})

describeOnBoth('a record of a tree that moves', (database) => {
  const policies = { folder: { View: isNot('folder.isSecret'), Add: true, Edit: true, Delete: true } } as never
  const service = useApp(database, trees, { plugin: { caller: () => ({ id: 1 }), policies } })

  test('tells nobody that an owner whom the caller may not see is below it', async () => {
    const all = createStore({ db: service.db, resources: withTestIds(trees) })
    const hidden = { name: 'h', isSecret: true }
    const folder = (await all.folder.create({ name: 'f', folders: [hidden] } as never)) as JsonBody
    const other = (await all.folder.create(hidden as never)) as JsonBody
    const answers: string[] = []
    for (const id of [folder.folders[0].id, other.id, missingId('folder')]) {
      const { body } = await service.patch(`/api/folder/${folder.id}`, { parentId: id })
      answers.push(JSON.stringify(body).replaceAll(String(id), 'ID'))
    }
    expect(answers[0]).toContain('CRUD_ERR_UNKNOWN_REFERENCE')
    expect(answers).toEqual([answers[0], answers[0], answers[0]])
  })
})

const shop = defineResources({
  order: { fields: { name }, relations: { lines: owns.many('line') } },
  line: {
    topLevel: true,
    authorizedBy: 'owner',
    fields: { name },
    relations: { order: ownedBy('order', { moves: true }), notes: owns.many('note') },
  },
  note: {
    topLevel: true,
    authorizedBy: 'owner',
    fields: { name },
    relations: { line: ownedBy('line', { moves: true }) },
  },
})

describeOnBoth('a move of records with `authorizedBy: owner`', (database) => {
  const asked: string[] = []
  let refused: string[] = []
  const service = useApp(database, shop, {
    plugin: {
      authorize: (_, { action, resource, id }) => {
        const question = [action, resource, id].filter((part) => part !== undefined).join(' ')
        if (action !== 'View') asked.push(question)
        return !refused.includes(question)
      },
    },
  })

  test('asks each owner’s Edit with its id, at the top and below', async () => {
    const lines = [{ name: 'a', notes: [{ name: 'n' }] }]
    const [one, two] = [
      await service.add('/api/order', { name: 'one', lines }),
      await service.add('/api/order', { name: 'two', lines }),
    ]
    const both = [`Edit order ${one.id}`, `Edit order ${two.id}`]
    const [[line], [other]] = [one.lines, two.lines]
    const [note] = line.notes
    for (const [path, body] of [
      [`/api/order/${one.id}/line/${line.id}/note/${note.id}`, { lineId: other.id }],
      [`/api/note/${note.id}`, { lineId: line.id }],
      [`/api/line/${line.id}`, { orderId: two.id }],
    ] as const) {
      asked.length = 0
      const { status, body: answer } = await service.patch(path, body)
      expect([status, answer.errors], path).toEqual([200, undefined])
      expect([...new Set(asked)].filter((one) => one !== 'Edit order').sort()).toEqual(both)
    }
    refused = [`Edit order ${one.id}`]
    expect((await service.patch(`/api/line/${line.id}`, { orderId: one.id })).status).toBe(403)
    expect((await service.patch('/api/line', [{ id: line.id, orderId: one.id }])).status).toBe(403)
  })
})

const drawers = defineResources({
  shelf: { fields: { name }, relations: { boxes: owns.many('box') } },
  cellar: { fields: { name }, relations: { boxes: owns.many('box') } },
  box: {
    topLevel: true,
    fields: { name },
    relations: { shelf: ownedBy('shelf', { moves: true }), cellar: ownedBy('cellar', { moves: true }) },
  },
  order: { fields: { name }, relations: { lines: owns.many('line', { order: 'position' }) } },
  line: {
    topLevel: true,
    authorizedBy: 'owner',
    fields: { name },
    relations: { order: ownedBy('order', { moves: true }) },
  },
})

describeOnBoth('an owner that `authorize` hides', (database) => {
  let secret: Id | undefined
  const service = useApp(database, drawers, {
    plugin: {
      authorize: async (_, { action, resource, id }) =>
        action !== 'View' || (resource !== 'cellar' && (resource !== 'order' || id === undefined || id !== secret)),
    },
  })
  const answersTo = async (path: string, ids: readonly Id[], bodyOf: (id: Id) => unknown) => {
    const answers: string[] = []
    for (const id of ids) {
      const { body } = await service.patch(path, bodyOf(id))
      answers.push(JSON.stringify(body).replaceAll(String(id), 'ID'))
    }
    return answers
  }

  test('is an unknown reference, as one that is not there', async () => {
    const all = createStore({ db: service.db, resources: withTestIds(drawers) })
    const shelf = await service.add('/api/shelf', { name: 's', boxes: [{ name: 'b' }] })
    const [box] = shelf.boxes
    const cellar = await all.cellar.create({ name: 'c' })
    for (const path of [`/api/shelf/${shelf.id}/box/${box.id}`, `/api/box/${box.id}`]) {
      const [one, other] = await answersTo(path, [cellar.id, missingId('cellar')], (cellarId) => ({
        shelfId: null,
        cellarId,
      }))
      expect(one).toContain('CRUD_ERR_UNKNOWN_REFERENCE')
      expect(one).toBe(other)
    }
  })

  test('is one also by its id, with `authorizedBy: owner`, and none of its records is told', async () => {
    const order = await service.add('/api/order', { name: 'o', lines: [{ name: 'l' }] })
    const hidden = await service.add('/api/order', { name: 'h', lines: [{ name: 'x' }] })
    secret = hidden.id
    const $before = hidden.lines[0].id
    for (const path of [`/api/order/${order.id}/line/${order.lines[0].id}`, `/api/line/${order.lines[0].id}`]) {
      for (const place of [{}, { $before }]) {
        const [one, other] = await answersTo(path, [hidden.id, missingId('order')], (orderId) => ({
          orderId,
          ...place,
        }))
        expect(one).toContain('CRUD_ERR_UNKNOWN_REFERENCE')
        expect(one).toBe(other)
      }
    }
  })

  test('shows nothing of its records to a request that is sent again', async () => {
    secret = undefined
    const all = createStore({ db: service.db, resources: withTestIds(drawers) })
    const order = await service.add('/api/order', { name: 'o', lines: [{ name: 'l' }] })
    const hidden = await service.add('/api/order', { name: 'h' })
    const [line] = order.lines
    const path = `/api/order/${order.id}/line/${line.id}`
    const send = () => service.request('PATCH', path, { name: 'm' }, { 'idempotency-key': `of ${line.id}` })
    expect((await send()).body.name).toBe('m')
    await all.line.patch(line.id, { orderId: hidden.id, name: 'private' } as never)
    expect((await send()).body.name).toBe('private')
    secret = hidden.id
    const { status, body } = await send()
    expect([status, body]).toEqual([200, undefined])
  })
})
