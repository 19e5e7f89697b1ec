import { Type } from '@sinclair/typebox'
import { defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { ada, asCaller, caller, type Policies } from './support/as-caller.ts'

const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

const orders = defineResources({
  order: {
    fields: { title: Type.String() },
    relations: { lines: owns.many('line'), seal: owns.one('seal'), tags: knows.many('tag') },
  },
  line: {
    fields: { amount: Type.Integer() },
    relations: { order: ownedBy('order'), parts: owns.many('part') },
  },
  part: { fields: { size: Type.Integer() }, relations: { line: ownedBy('line') } },
  seal: { fields: { text: Type.String() }, relations: { order: ownedBy('order') } },
  tag: { fields: { name: Type.String() }, relations: {} },
})

/** At most two lines, none of 100, no part of 100, no seal and no tag that says 'bad'. */
const isInOrder: Policies[string] = ({ eb }) =>
  eb.and([
    eb.not(
      eb.exists(
        eb.selectFrom('line').select('line.id').whereRef('line.orderId', '=', 'order.id').where('amount', '=', 100),
      ),
    ),
    eb(
      eb
        .selectFrom('line')
        .select(({ fn }) => fn.countAll().as('count'))
        .whereRef('line.orderId', '=', 'order.id'),
      'in',
      [1, 2],
    ),
    eb.not(
      eb.exists(
        eb
          .selectFrom('part')
          .innerJoin('line', 'line.id', 'part.lineId')
          .select('part.id')
          .whereRef('line.orderId', '=', 'order.id')
          .where('part.size', '=', 100),
      ),
    ),
    eb.not(
      eb.exists(
        eb.selectFrom('seal').select('seal.id').whereRef('seal.orderId', '=', 'order.id').where('text', '=', 'bad'),
      ),
    ),
    eb.not(
      eb.exists(
        eb
          .selectFrom('order_tags')
          .innerJoin('tag', 'tag.id', 'order_tags.tagId')
          .select('tag.id')
          .whereRef('order_tags.orderId', '=', 'order.id')
          .where('tag.name', '=', 'bad'),
      ),
    ),
  ])

const order: Policies[string] = { View: true, Add: true, Edit: { before: true, after: isInOrder }, Delete: true }

describeOnBoth('`Edit: { after }` that speaks of what the record owns', (database) => {
  const service = useApp(database, orders, { plugin: { caller, policies: { order, tag: true } as Policies } })
  const client = asCaller(service, ada)
  let shown: JsonBody
  let path: string
  let linePath: string

  beforeEach(async () => {
    const lines = [{ amount: 1, parts: [{ size: 1 }] }, { amount: 2 }]
    shown = (await client.post('/api/order', { title: 'o', lines, seal: { text: 'good' } })).body
    path = `/api/order/${shown.id}`
    linePath = `${path}/line/${shown.lines[0].id}`
  })

  test('is asked when a PUT or PATCH changes nothing but children', async () => {
    const [first, second] = shown.lines
    await client.refuse('PUT', path, { ...shown, lines: [first, { ...second, amount: 100 }] }, forbidden)
    await client.refuse('PUT', path, { ...shown, lines: [...shown.lines, { amount: 3 }] }, forbidden)
    await client.refuse('PUT', path, { ...shown, lines: [] }, forbidden)
    await client.refuse('PATCH', path, { lines: [{ id: first.id, amount: 100 }] }, forbidden)
    await client.refuse('PATCH', path, { lines: [{ amount: 3 }] }, forbidden)
    await client.refuse('PATCH', path, { seal: { text: 'bad' } }, forbidden)
    expect((await client.patch(path, { lines: [{ id: first.id, amount: 3 }] })).status).toBe(200)
    expect((await client.put(path, { ...shown, lines: [second], seal: null })).status).toBe(200)
  })

  test('is asked when children of children change', async () => {
    const [first] = shown.lines
    const lines = [{ id: first.id, parts: [{ id: first.parts[0].id, size: 100 }] }]
    await client.refuse('PATCH', path, { lines }, forbidden)
    await client.refuse('PATCH', path, { lines: [{ id: first.id, parts: [{ size: 100 }] }] }, forbidden)
    await client.refuse('PATCH', linePath, { parts: [{ size: 100 }] }, forbidden)
  })

  test('is asked when only links change', async () => {
    const bad = (await client.post('/api/tag', { name: 'bad' })).body
    const good = (await client.post('/api/tag', { name: 'good' })).body
    await client.refuse('PATCH', path, { tags: [{ id: bad.id }] }, forbidden)
    await client.refuse('PUT', path, { ...shown, tags: [{ id: bad.id }] }, forbidden)
    expect((await client.put(path, { ...shown, tags: [{ id: good.id }] })).status).toBe(200)
  })

  test("is asked on a child's own path, at any depth", async () => {
    const [first, second] = shown.lines
    await client.refuse('PATCH', linePath, { amount: 100 }, forbidden)
    await client.refuse('PUT', linePath, { ...first, amount: 100 }, forbidden)
    await client.refuse('POST', `${path}/line`, { amount: 3 }, forbidden)
    await client.refuse('PUT', `${path}/seal`, { id: shown.seal.id, text: 'bad' }, forbidden)
    await client.refuse('POST', `${linePath}/part`, { size: 100 }, forbidden)
    await client.refuse('PATCH', `${linePath}/part/${first.parts[0].id}`, { size: 100 }, forbidden)
    expect((await client.delete(linePath)).status).toBe(204)
    await client.refuse('DELETE', `${path}/line/${second.id}`, undefined, forbidden)
    expect((await client.patch(`${path}/line/${second.id}`, { amount: 5 })).status).toBe(200)
  })

  test('is asked if a child without children is deleted by its own path', async () => {
    const only = (await client.post('/api/order', { title: 'p', lines: [{ amount: 1 }] })).body
    const at = `/api/order/${only.id}/line/${only.lines[0].id}`
    await client.refuse('DELETE', at, undefined, forbidden)
    expect((await client.delete(`${linePath}/part/${shown.lines[0].parts[0].id}`)).status).toBe(204)
  })

  test('is not asked of a new record: it has `Add`', async () => {
    expect((await client.post('/api/order', { title: 'p', lines: [{ amount: 100 }] })).status).toBe(201)
  })

  test('is not asked if nothing changes', async () => {
    const bad = (await client.post('/api/order', { title: 'p', lines: [{ amount: 100 }] })).body
    expect((await client.put(`/api/order/${bad.id}`, bad)).status).toBe(200)
    await client.refuse('PATCH', `/api/order/${bad.id}`, { title: 'q' }, forbidden)
    await client.refuse('PATCH', `/api/order/${bad.id}`, { lines: [{ amount: 1 }] }, forbidden)
  })
})

describeOnBoth('the owner of children with a policy of their own', (database) => {
  const service = useApp(database, orders, {
    plugin: {
      caller,
      policies: {
        order,
        line: {
          View: true,
          Add: true,
          Edit: { before: ({ eb }) => eb('amount', '!=', 50), after: true },
          Delete: true,
        },
        part: { View: true, Add: true, Edit: true, Delete: true },
        tag: true,
      } as Policies,
    },
  })
  const client = asCaller(service, ada)
  let path: string
  let shown: JsonBody

  beforeEach(async () => {
    const lines = [
      { amount: 1, parts: [{ size: 1 }] },
      { amount: 50, parts: [{ size: 1 }] },
    ]
    shown = (await client.post('/api/order', { title: 'o', lines })).body
    path = `/api/order/${shown.id}`
  })

  test('is asked for `Edit` when its own body changes them, and not on their own path', async () => {
    const [first] = shown.lines
    await client.refuse('PATCH', path, { lines: [{ id: first.id, amount: 100 }] }, forbidden)
    await client.refuse('PATCH', path, { lines: [{ amount: 3 }] }, forbidden)
    expect((await client.patch(`${path}/line/${first.id}`, { amount: 100 })).status).toBe(200)
    expect((await client.post(`${path}/line`, { amount: 3 })).status).toBe(201)
    expect((await client.delete(`${path}/line/${first.id}`)).status).toBe(204)
  })

  test('is asked at each level of the body that names it', async () => {
    const [first, second] = shown.lines
    const sizes = ({ id, parts }: JsonBody) => ({ lines: [{ id, parts: [{ id: parts[0].id, size: 2 }] }] })
    expect((await client.patch(path, sizes(first))).status).toBe(200)
    await client.refuse('PATCH', path, sizes(second), forbidden)
    await client.refuse('PATCH', `${path}/line/${second.id}`, { parts: [{ size: 2 }] }, forbidden)
    expect((await client.patch(`${path}/line/${second.id}/part/${second.parts[0].id}`, { size: 2 })).status).toBe(200)
  })
})
