import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  createTables,
  crudPlugin,
  defineResources,
  keepStatements,
  type Model,
  needs,
  ownedBy,
  owns,
} from 'fastify-crud'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { countMessages } from '../../../../test/support/count-messages.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

const shop = defineResources({
  product: {
    fields: { name: Type.String(), price: Type.Optional(Type.Integer()) },
    relations: { parts: owns.many('part') },
  },
  part: { fields: { name: Type.String() }, relations: { product: ownedBy('product') } },
  order: { fields: { amount: Type.Integer() }, relations: { product: needs.one('product') } },
}) as Model

describe('an Idempotency-Key on PostgreSQL, in round trips', () => {
  let open: OpenDatabase
  let db: Kysely<Record<string, Record<string, unknown>>>
  let app: FastifyInstance
  let messages: () => number

  beforeAll(async () => {
    open = await postgres.open()
    await createTables(open.db, shop)
    const pool = new pg.Pool({ connectionString: open.location, max: 1 })
    messages = countMessages(pool)
    db = new Kysely({ dialect: new PostgresDialect({ pool: keepStatements(pool) }) })
    app = Fastify()
    await app.register(crudPlugin, { db, resources: shop })
    await app.ready()
  })

  afterAll(async () => {
    await app.close()
    await db.destroy()
    await open.close()
  })

  let keys = 0
  async function roundTrips(method: 'POST' | 'PATCH', url: string, body: () => object, isKeyed: boolean) {
    const counts: number[] = []
    // The first round has what a connection learns, and on a busy machine any may have a `begin` more.
    for (let round = 0; round < 4; round++) {
      await app.inject('/api/product')
      const before = messages()
      const headers = isKeyed ? { 'idempotency-key': `${keys++}` } : {}
      const { statusCode, payload } = await app.inject({ method, url, headers, payload: body() })
      expect(statusCode, payload).toBeLessThan(300)
      counts.push(messages() - before)
    }
    return Math.min(...counts)
  }

  test('costs a POST none', async () => {
    const { id } = (await app.inject({ method: 'POST', url: '/api/product', payload: { name: 'Ink' } })).json()
    for (const [url, body] of [
      ['/api/product', { name: 'Ink', parts: [{ name: 'a' }, { name: 'b' }] }],
      [`/api/product/${id}/part`, { name: 'c' }],
      ['/api/order', { amount: 1, productId: id }],
    ] as const) {
      const without = await roundTrips('POST', url, () => body, false)
      expect(await roundTrips('POST', url, () => body, true), url).toBe(without)
    }
  })

  test('costs a PATCH one at most', async () => {
    const { id } = (await app.inject({ method: 'POST', url: '/api/product', payload: { name: 'Ink' } })).json()
    let n = 0
    for (const body of [() => ({ price: n++ }), () => ({ parts: [{ name: `${n++}` }] }), () => ({ name: 'Ink' })]) {
      const without = await roundTrips('PATCH', `/api/product/${id}`, body, false)
      expect(await roundTrips('PATCH', `/api/product/${id}`, body, true)).toBeLessThanOrEqual(without + 1)
    }
  })
})
