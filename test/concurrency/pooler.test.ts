import { createTables } from 'fastify-crud'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildApp, type TestApp } from '../support/app.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../support/databases.ts'
import { sameDatabase } from '../support/same-database.ts'
import { type TransactionPooler, transactionPooler } from '../support/transaction-pooler.ts'
import { owned } from './models.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

describe.each([{ kept: true }, { kept: false }])(
  'a pooler in transaction mode that knows no prepared statements (keepStatements: $kept)',
  ({ kept }) => {
    let direct: OpenDatabase
    let pooler: TransactionPooler
    let service: TestApp

    beforeAll(async () => {
      direct = await postgres.open()
      await createTables(direct.db, owned)
      pooler = await transactionPooler(direct.location, 7)
      const connections = { port: pooler.port, max: 4, kept }
      service = await buildApp(sameDatabase(direct, connections), owned, { tables: async () => {} })
    })
    beforeEach(() => direct.empty())
    afterAll(async () => {
      await service.close()
      await pooler.close()
      await direct.close()
    })

    test('no request fails, whichever server each transaction has', async () => {
      const writer = async (n: number) => {
        for (let round = 0; round < 12; round++) {
          const name = `${n}.${round}`
          const { id } = await service.add('/api/owner', { name, items: [{ name }, { name }], card: { name } })
          const statuses = [
            (await service.patch(`/api/owner/${id}`, { note: 'x' })).status,
            (await service.patch(`/api/owner/${id}`, { items: [{ name: 'new' }] })).status,
            (await service.get(`/api/owner/${id}`)).status,
            (await service.put(`/api/owner/${id}`, { name, items: [{ name: 'a' }] })).status,
            (await service.put(`/api/owner/${id}`, { name, items: [{ id: 987_654_321, name: 'a' }] })).status,
            (await service.delete(`/api/owner/${id}`)).status,
          ]
          expect(statuses).toEqual([200, 200, 200, 200, 400, 204])
        }
      }
      await Promise.all([0, 1, 2, 3].map(writer))
      if (kept) expect(pooler.errors).toContain('26000')
      else expect(pooler.errors).toEqual([])
      expect(pooler.errors).not.toContain('25P02')
      const { rows } = await sql`select 1 from pg_stat_activity where datname = current_database()
        and state like 'idle in transaction%'`.execute(direct.db)
      expect(rows).toEqual([])
    })
  },
)

describe.each([{ kept: true }, { kept: false }])(
  'a connection on which the application has left a failed transaction (keepStatements: $kept)',
  ({ kept }) => {
    test('writes of the next requests are done, and so are their reads', async () => {
      const direct = await postgres.open()
      await createTables(direct.db, owned)
      const one = sameDatabase(direct, { max: 1, kept })
      const service = await buildApp(one, owned, { tables: async () => {} })
      await service.add('/api/owner', { name: 'first' })
      for (let n = 0; n < 4; n++) {
        await service.db.connection().execute(async (connection) => {
          await sql`begin`.execute(connection)
          await expect(sql`select 1 / 0`.execute(connection)).rejects.toThrow('division by zero')
        })
        const post = await service.post('/api/owner', { name: `${n}`, items: [{ name: 'i' }] })
        expect(post.status).toBe(201)
        expect((await service.get(`/api/owner/${post.body.id}`)).status).toBe(200)
      }
      await service.close()
      await direct.close()
    })
  },
)
