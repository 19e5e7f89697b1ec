import Fastify, { type FastifyInstance } from 'fastify'
import { createTables, crudPlugin } from 'fastify-crud'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { otherWriter } from '../../../../test/support/other-writer.ts'
import { product } from '../contract/models/product.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

describe('a row that another connection has locked, with a `statement_timeout` (postgres)', () => {
  let open: OpenDatabase
  let db: Kysely<unknown>
  let app: FastifyInstance

  beforeAll(async () => {
    open = await postgres.open()
    await createTables(open.db, product)
    const pool = new pg.Pool({ connectionString: open.location, max: 2, statement_timeout: 100 })
    pool.on('error', () => {})
    db = new Kysely({ dialect: new PostgresDialect({ pool }) })
    app = Fastify()
    await app.register(crudPlugin, { db, resources: product })
  })
  afterAll(async () => {
    await app.close()
    await db.destroy()
    await open.close()
  })

  test('PATCH, PUT and DELETE are answered with 503 and when to try again; then they work', async () => {
    const created = await app.inject({ method: 'POST', url: '/api/product', payload: { name: 'a' } })
    const url = `/api/product/${created.json().id}`
    const writes = [
      { method: 'PATCH', url, payload: { name: 'b' } },
      { method: 'PUT', url, payload: { name: 'c' } },
      { method: 'DELETE', url },
    ] as const
    const writer = await otherWriter(open)
    await writer.run('select 1 from product for update')
    try {
      for (const write of writes) {
        const answer = await app.inject(write)
        expect([answer.statusCode, answer.json().code]).toEqual([503, 'CRUD_ERR_BUSY'])
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
      }
    } finally {
      await writer.end('rollback')
    }
    expect((await app.inject(url)).json()).toMatchObject({ name: 'a' })
    for (const write of writes) expect((await app.inject(write)).statusCode).toBeLessThan(300)
  })
})
