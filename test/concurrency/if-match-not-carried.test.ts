import { Type } from '@sinclair/typebox'
import { defineResources, needs, ownedBy, owns, sumOf } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { setups } from '../support/databases.ts'
import type { JsonBody } from '../support/json-body.ts'
import { otherWriter } from '../support/other-writer.ts'
import { expectProblem } from '../support/problem.ts'

const shop = defineResources({
  order: {
    fields: { name: Type.String() },
    relations: { lines: owns.many('line'), notes: owns.many('note'), customer: needs.one('customer') },
    computed: { total: sumOf('lines', 'amount') },
    defaultInclude: ['customer'],
  },
  line: { fields: { amount: Type.Integer() }, relations: { order: ownedBy('order') } },
  note: { fields: { text: Type.String() }, relations: { order: ownedBy('order') } },
  customer: { fields: { name: Type.String() } },
})

const CHANGED = 'the record changed after it was read'

// SQLite has one writer at a time, so nothing comes in between there.
const onPostgres = setups.filter(({ name }) => name === 'postgres')

describe.each(onPostgres)('a write of what the record does not carry, with `If-Match` ($title)', (database) => {
  const before = () => sql<boolean>`not exists (select 1 from line where amount = 13)`
  const policies = { order: { View: true, Add: true, Edit: { before, after: true } }, customer: true } as const
  const service = useApp(database, shop, { plugin: { caller: () => ({}), policies } })
  let path: string
  let order: JsonBody
  let etag: string

  beforeEach(async () => {
    const customer = await service.add('/api/customer', { name: 'c' })
    const body = { name: 'o', customerId: customer.id, lines: [{ amount: 1 }], notes: [{ text: 'n' }] }
    path = `/api/order/${(await service.add('/api/order', body)).id}`
    const read = await service.request('GET', path)
    order = read.body
    etag = String(read.headers.etag)
  })

  const put = (headers: Record<string, string> = { 'if-match': etag }) =>
    service.request('PUT', path, { ...order, name: 'new', notes: [{ text: 'm' }] }, headers)

  /** Sends a request that has to wait for the lock of the order, and changes something meanwhile. */
  async function meanwhile<Answer>(change: string, request: () => Promise<Answer>): Promise<Answer> {
    const writer = await otherWriter(service.database)
    await writer.run(`select 1 from "order" where id = ${order.id} for update`)
    const answer = request()
    await writer.untilAwaited()
    await writer.run(change)
    await writer.end('commit')
    return await answer
  }

  test.each([
    ['what is computed', () => `insert into line (amount, "orderId") values (6, ${order.id})`],
    ['the summary of another record', () => `update customer set name = 'other' where id = ${order.customerId}`],
  ])('is refused if %s is not what it was any more', async (_, change) => {
    expect(order).toMatchObject({ total: 1, customer: { name: 'c' } })
    const answer = await meanwhile(change(), () => put())
    expectProblem(answer, { code: 'CRUD_ERR_PRECONDITION', status: 412 })
    expect(await service.read(path)).toMatchObject({ name: 'o' })
    expect(await service.read(`${path}/note`)).toMatchObject({ rows: [{ text: 'n' }] })
  })

  test('is done, and reads once before it, where all is as it was', async () => {
    const statements = await service.statements(async () => {
      expect(await put()).toMatchObject({ status: 200, body: { name: 'new', total: 1 } })
    })
    const states = statements.filter((statement) => statement.includes('as "crud_state"'))
    expect(states).toHaveLength(database.isBatched ? 1 : 2)
  })

  test('compares no more than it did without `If-Match`', async () => {
    const statements = await service.statements(() => put({}))
    const compared = statements.filter((statement) => statement.includes(CHANGED))
    expect(compared).toHaveLength(database.isBatched ? 1 : 0)
  })

  test('leaves it to a policy whether another write is allowed by then', async () => {
    const { id: other } = await service.add('/api/order', { name: 'other', customerId: order.customerId })
    const { headers } = await put()
    const condition = { 'if-match': String(headers.etag) }
    const change = `insert into line (amount, "orderId") values (13, ${other})`
    const body = { name: 'p', customerId: order.customerId }
    const answer = await meanwhile(change, () => service.request('PUT', path, body, condition))
    expectProblem(answer, { code: 'CRUD_ERR_FORBIDDEN' })
  })
})
