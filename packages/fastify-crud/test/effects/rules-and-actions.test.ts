import { Type } from '@sinclair/typebox'
import { type CrudOptions, defineActions, defineResources, knows, ownedBy, owns, type Store, set } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { crudOf } from '../rules/support/crud-of.ts'

const text = Type.String()

const resources = defineResources({
  log: { fields: { text } },
  order: {
    table: 'orders',
    fields: { title: text, total: Type.Integer({ default: 0 }), changedBy: Type.Optional(text) },
    relations: { lines: owns.many('line'), labels: knows.many('label') },
  },
  line: { fields: { text, amount: Type.Integer() }, relations: { order: ownedBy('order') } },
  label: { fields: { name: text } },
})

const actions = defineActions(resources, {
  order: {
    close: {
      asks: 'Edit',
      async run({ id, store, system, db }) {
        await store.order.patch(id, { title: 'closed' })
        const made = await system.log.create({ text: 'closed' })
        await system.log.patch(made.id, { text: `closed ${id}` })
        const gone = await system.log.create({ text: 'gone again' })
        await system.log.delete(gone.id)
        await sql`update orders set total = 7`.execute(db)
      },
    },
    count: {
      on: 'list',
      asks: 'View',
      answer: Type.Object({ count: Type.Integer() }),
      run: async ({ store }) => ({ count: (await store.order.list()).count }),
    },
    closeAll: {
      on: 'list',
      asks: 'Edit',
      answer: Type.Object({ closed: Type.Integer() }),
      async run({ store }) {
        const { rows } = await store.order.list({ filter: { title: { ne: 'closed' } } })
        await store.order.patchMany(rows.map(({ id }) => ({ id, title: 'closed' })))
        return { closed: rows.length }
      },
    },
  },
})

const headers = { prefer: 'return=effects' }
const preview = { prefer: 'return=effects, tx=rollback' }

describeOnBoth('effects of rules and actions', (database) => {
  let isCaught = false
  const rules: NonNullable<CrudOptions<typeof resources>['rules']> = {
    order: [
      set({ changedBy: () => 'the service' }, { on: 'change' }),
      {
        async afterWrite({ before, after, db }) {
          if (before?.title === 'logged' || after?.title !== 'logged') return
          const store = crudOf(service).in(db as never) as unknown as Store<typeof resources>
          await store.log.create({ text: 'by a rule' })
          await store.order.patch(after.id, { total: 9 })
          if (isCaught) await store.log.create({ text: 'refused' }).catch(() => undefined)
        },
      },
    ],
    log: {
      validate({ after, refuse }) {
        if (after?.text === 'refused') refuse('never')
      },
    },
  }
  const service = useApp(database, resources, { plugin: { rules: rules as never, actions: actions as never } })
  let order: JsonBody
  let path: string

  const changesOf = async (method: string, url: string, body?: unknown, of = headers): Promise<readonly JsonBody[]> => {
    const answer = await service.request(method, url, body, of)
    expect([answer.status, answer.headers['preference-applied']]).toEqual([answer.status, of.prefer])
    return answer.body.changes
  }

  beforeEach(async () => {
    order = await service.add('/api/order', { title: 'a', lines: [{ text: 'x', amount: 1 }] })
    path = `/api/order/${order.id}`
  })

  test('have what a rule sets, and say so where the body changes nothing else of the row', async () => {
    await service.db.updateTable('orders').set({ changedBy: 'somebody' }).execute()
    expect(await changesOf('PATCH', path, { title: 'b' })).toEqual([
      {
        action: 'Edit',
        resource: 'order',
        id: order.id,
        pointer: '',
        before: { title: 'a', changedBy: 'somebody' },
        after: { title: 'b', changedBy: 'the service' },
      },
    ])
    await service.db.updateTable('orders').set({ changedBy: 'somebody' }).execute()
    const label = await service.add('/api/label', { name: 'l' })
    expect(await changesOf('PATCH', path, { labels: [{ id: label.id }] })).toMatchObject([
      { action: 'Edit', because: 'set', before: { changedBy: 'somebody' }, after: { changedBy: 'the service' } },
      { action: 'Link', relation: 'labels', to: label.id, pointer: '/labels/0' },
    ])
  })

  test('have what a rule writes through the store, as one change for each row, and nothing that was refused', async () => {
    isCaught = true
    const changes = await changesOf('PATCH', path, { title: 'logged' })
    isCaught = false
    expect(changes).toMatchObject([
      {
        action: 'Edit',
        resource: 'order',
        pointer: '',
        before: { title: 'a', total: 0 },
        after: { title: 'logged', total: 9 },
      },
      { action: 'Add', resource: 'log', because: 'rule', after: { text: 'by a rule' } },
    ])
    expect(changes[1]?.id).toEqual((await service.read('/api/log')).rows[0].id)
  })

  test('have what an action writes through its stores, and not what it writes past them', async () => {
    const expected = [
      {
        action: 'Edit',
        resource: 'order',
        id: order.id,
        because: 'rule',
        after: { title: 'closed' },
      },
      { action: 'Add', resource: 'log', because: 'rule', after: { text: `closed ${order.id}` } },
    ]
    const previewed = await service.request('POST', `${path}/$act/close`, undefined, preview)
    expect(previewed.body).toMatchObject({ operation: 'close', resource: 'order', id: order.id, changes: expected })
    expect(previewed.body.changes[1]).toMatchObject({ id: null, new: 1 })
    expect(await service.read(path)).toMatchObject({ title: 'a' })
    const acted = await service.request('POST', `${path}/$act/close`, undefined, headers)
    expect(acted).toMatchObject({ status: 200, body: { operation: 'close', changes: expected } })
    expect(acted.body.changes[1].id).toEqual((await service.read('/api/log')).rows[0].id)
    expect(await service.read(path)).toMatchObject({ title: 'closed', total: 7 })
  })

  test('hold an action of a list to its preview, as any write', async () => {
    const url = '/api/order/$act/closeAll'
    const before = await service.request('POST', url, undefined, preview)
    await service.add('/api/order', { title: 'another' })
    const match = (tag: unknown) => ({ 'effects-match': String(tag) })
    const refused = await service.request('POST', url, undefined, match(before.headers['effects-tag']))
    expect([refused.status, refused.body.code]).toEqual([412, 'CRUD_ERR_PRECONDITION'])
    expect(refused.body.effects.changes).toHaveLength(before.body.changes.length + 1)
    const done = await service.request('POST', url, undefined, match(refused.headers['effects-tag']))
    expect([done.status, done.body]).toEqual([200, { closed: refused.body.effects.changes.length }])
  })

  test('are in place of the answer of an action', async () => {
    const { status, body } = await service.request('POST', '/api/order/$act/count', undefined, headers)
    expect([status, body.operation, body.changes]).toEqual([200, 'count', []])
    expect(body).not.toHaveProperty('id')
  })
})

const generated = defineResources({
  item: {
    fields: {
      name: text,
      number: Type.Integer({ readOnly: true }),
      price: Type.String({ format: 'decimal', default: '1' }),
    },
  },
})

describeOnBoth('effects of values that only the database knows', (database) => {
  const service = useApp(database, generated, {
    async tables({ name, db }) {
      const id = name === 'postgres' ? sql`serial primary key` : sql`integer primary key autoincrement`
      await sql`create table item (id ${id}, name varchar not null, number integer not null default 42, price ${sql.raw(name === 'postgres' ? 'numeric(9, 2)' : 'text')} not null)`.execute(
        db,
      )
    },
  })

  test('have them as they are stored', async () => {
    const { body } = await service.request('POST', '/api/item', { name: 'a', price: '2.50' }, headers)
    expect(body.changes).toMatchObject([{ after: { name: 'a', number: 42, price: '2.50' } }])
    const patched = await service.request('PATCH', `/api/item/${body.id}`, { price: '3.10' }, headers)
    expect(patched.body.changes).toMatchObject([{ before: { price: '2.50' }, after: { price: '3.10' } }])
  })
})

const ordered = defineResources({
  list: { fields: { title: text }, relations: { items: owns.many('item', { order: 'place' }) } },
  item: { fields: { text, place: Type.Integer({ readOnly: true }) }, relations: { list: ownedBy('list') } },
})

describeOnBoth('effects of arrays that keep their order', (database) => {
  const service = useApp(database, ordered)

  test('say which elements got another number because of the order', async () => {
    const list = await service.add('/api/list', { title: 'a', items: [{ text: '1' }, { text: '2' }] })
    const [first, second] = list.items
    const items = [
      { id: second.id, text: '2' },
      { id: first.id, text: 'one' },
    ]
    const { body } = await service.request('PUT', `/api/list/${list.id}`, { title: 'a', items }, headers)
    const now = await service.read(`/api/list/${list.id}`)
    const placeOf = ({ id }: JsonBody) => now.items.find((item: JsonBody) => item.id === id).place
    for (const change of body.changes) {
      if (change.after.place !== undefined) expect(change.after.place).toBe(placeOf(change))
    }
    expect(body.changes.find(({ id }: JsonBody) => id === first.id)).toMatchObject({
      pointer: '/items/1',
      after: { text: 'one' },
    })
    expect(body.changes.some(({ after }: JsonBody) => 'place' in after)).toBe(true)
  })
})

const moving = defineResources({
  list: { fields: { title: text }, relations: { items: owns.many('item') } },
  item: { fields: { text }, relations: { list: ownedBy('list', { moves: true }) } },
})

describeOnBoth('effects of a record that moves to another owner', (database) => {
  const service = useApp(database, moving)

  test('say what owned it, and what owns it then', async () => {
    const from = await service.add('/api/list', { title: 'a', items: [{ text: 'x' }] })
    const to = await service.add('/api/list', { title: 'b' })
    const [{ id }] = from.items
    const url = `/api/list/${from.id}/item/${id}`
    const moved = await service.request('PATCH', url, { listId: to.id }, headers)
    expect(moved.headers).not.toHaveProperty('content-location')
    expect(moved.body.changes).toEqual([
      {
        action: 'Edit',
        resource: 'item',
        id,
        within: ['list', to.id],
        pointer: '',
        before: { listId: from.id },
        after: { listId: to.id },
      },
    ])
    const gone = await service.request('DELETE', `/api/list/${to.id}`, undefined, headers)
    expect(gone.body.changes[1].before).toEqual({ text: 'x', listId: to.id })
  })
})
