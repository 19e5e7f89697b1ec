import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createTables, keepStatements } from 'fastify-crud'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp, type TestApp } from '../support/app.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../support/databases.ts'
import { otherWriter } from '../support/other-writer.ts'
import { expectProblem } from '../support/problem.ts'
import { statementLog } from '../support/statement-log.ts'
import { owned } from './models.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

describe('a connection that breaks, under `keepStatements`, where nobody listens to its errors', () => {
  const sockets: Socket[] = []
  let database: OpenDatabase
  let service: TestApp

  beforeAll(async () => {
    database = await postgres.open()
    await createTables(database.db, owned)
    const kept: TestDatabase = { name: 'postgres', open: async () => openKept(database, sockets) }
    service = await buildApp(kept, owned, { tables: async () => {} })
  })
  afterAll(async () => {
    await service.close()
    await database.close()
  })

  test('in the middle of a write: does not end the process, and the next requests are served', async () => {
    const { id } = await service.add('/api/owner', { name: 'o' })
    const writer = await otherWriter(database)
    await writer.run(`select 1 from owner where id = ${id} for update`)
    const patch = service.patch(`/api/owner/${id}`, { items: [{ name: 'i' }] })
    await writer.untilAwaited()
    for (const socket of sockets) socket.destroy()
    // All of it was sent, and PostgreSQL may do it or not.
    expectProblem(await patch, { code: 'CRUD_ERR_OUTCOME_UNKNOWN' })
    await writer.end('rollback')
    await service.delete(`/api/owner/${id}`)
    expect((await service.get(`/api/owner/${id}`)).status).toBe(404)
  })

  test('while nobody uses it: does not end the process, and the next requests are served', async () => {
    const { id } = await service.add('/api/owner', { name: 'o' })
    for (let round = 0; round < 3; round++) {
      await Promise.all([service.read('/api/owner'), service.read('/api/owner')])
      const open = sockets.filter(({ destroyed }) => !destroyed)
      const ended = open.map((socket) => once(socket, 'close'))
      for (const socket of open) socket.destroy()
      await Promise.all(ended)
      expect((await service.patch(`/api/owner/${id}`, { note: `${round}` })).status).toBe(200)
    }
  })
})

test('one that breaks before the pool has given it away: does not end the process, and the next request is served', async () => {
  const database = await postgres.open()
  await createTables(database.db, owned)
  let ends = 0
  const verify: NonNullable<pg.PoolConfig['verify']> = (client, done) => {
    if (++ends > 2) return done()
    client.query('select pg_terminate_backend(pg_backend_pid())', () => setTimeout(done, 50))
  }
  const pool = new pg.Pool({ connectionString: database.location, max: 1, verify })
  const db: OpenDatabase['db'] = new Kysely({ dialect: new PostgresDialect({ pool: keepStatements(pool) }) })
  const kept = { ...database, db, close: () => db.destroy() }
  const service = await buildApp({ name: 'postgres', open: async () => kept }, owned, { tables: async () => {} })
  try {
    expect((await service.get('/api/owner')).status).toBe(200)
    expect(ends).toBeGreaterThan(2)
  } finally {
    await service.close()
    await database.close()
  }
})

function openKept({ name, location }: OpenDatabase, sockets: Socket[]): OpenDatabase {
  const pool = new pg.Pool({ connectionString: location, max: 2 })
  pool.on('connect', (client) => {
    sockets.push((client as unknown as { connection: { stream: Socket } }).connection.stream)
  })
  const statements = statementLog()
  const dialect = new PostgresDialect({ pool: keepStatements(pool) })
  const db: OpenDatabase['db'] = new Kysely({ dialect, log: statements.logger })
  return { name, location, statements, db, empty: async () => {}, close: () => db.destroy() }
}
