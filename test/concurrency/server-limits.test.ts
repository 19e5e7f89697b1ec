import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { buildApp, type TestApp } from '../support/app.ts'
import { databases, type TestDatabase } from '../support/databases.ts'
import { otherWriter } from '../support/other-writer.ts'
import { expectProblem } from '../support/problem.ts'
import { sameDatabase } from '../support/same-database.ts'
import { owned } from './models.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

/** Of the server's limits those that it knows: `transaction_timeout` came with PostgreSQL 17, and ends the session. */
async function limitsOf(url: string): Promise<string[]> {
  const client = new pg.Client(url)
  await client.connect()
  const limits = ['statement_timeout', 'transaction_timeout']
  const { rows } = await client.query('select name from pg_settings where name = any($1)', [limits])
  await client.end()
  return rows.map(({ name }) => name)
}

const limits = await limitsOf(inject('postgresUrl'))
const services = limits.flatMap((limit) => [false, true].map((kept) => ({ limit, kept })))

describe.each(services)(
  'a row that another connection has locked, with a `$limit` (keepStatements: $kept)',
  (chosen) => {
    let admin: TestApp
    let service: TestApp

    beforeAll(async () => {
      admin = await buildApp(postgres, owned)
      const connections = { session: { [chosen.limit]: '1000' }, max: 3, kept: chosen.kept }
      service = await buildApp(sameDatabase(admin.database, connections), owned, { tables: async () => {} })
    })
    beforeEach(() => admin.database.empty())
    afterAll(async () => {
      await service.close()
      await admin.close()
    })

    test('PATCH, PUT and DELETE are answered with 503 and when to try again; then they work', async () => {
      const { id } = await admin.add('/api/owner', { name: 'a' })
      const writes = [
        () => service.patch(`/api/owner/${id}`, { name: 'b' }),
        () => service.put(`/api/owner/${id}`, { name: 'c' }),
        () => service.delete(`/api/owner/${id}`),
      ]
      const writer = await otherWriter(admin.database)
      await writer.run('select 1 from owner for update')
      try {
        for (const answer of await Promise.all(writes.map((write) => write()))) {
          expectProblem(answer, { code: 'CRUD_ERR_BUSY' })
          expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
        }
      } finally {
        await writer.end('rollback')
      }
      expect(await service.read(`/api/owner/${id}`)).toMatchObject({ name: 'a' })
      const statuses: number[] = []
      for (const write of writes) statuses.push((await write()).status)
      expect(statuses).toEqual([200, 200, 204])
    })
  },
)
