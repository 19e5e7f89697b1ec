import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildApp, type TestApp } from '../support/app.ts'
import { databases, type TestDatabase } from '../support/databases.ts'
import { otherWriter } from '../support/other-writer.ts'
import { type PostgresProxy, postgresProxy } from '../support/postgres-proxy.ts'
import { expectProblem } from '../support/problem.ts'
import { resultOf } from '../support/result-of.ts'
import { sameDatabase } from '../support/same-database.ts'
import { owned } from './models.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

/** How long PostgreSQL waits for a connection to be gone: nothing that a test does next may find it still there. */
const GONE_WITHIN_MS = 10_000

/** Has PostgreSQL end the service's connections: all, or those that wait for a lock. */
async function drop(admin: TestApp, which: 'all' | 'waiting'): Promise<number> {
  const { rows } = await sql`select pg_terminate_backend(pid, ${GONE_WITHIN_MS}) from pg_stat_activity
    where application_name = 'service' and datname = current_database()
    and (${which} = 'all' or wait_event_type = 'Lock')`.execute(admin.db)
  return rows.length
}

describe.each([{ kept: false }, { kept: true }])(
  'a connection that PostgreSQL drops (keepStatements: $kept)',
  ({ kept }) => {
    let admin: TestApp
    let service: TestApp

    beforeAll(async () => {
      admin = await buildApp(postgres, owned)
      const connections = { session: { application_name: 'service' }, max: 3, kept }
      service = await buildApp(sameDatabase(admin.database, connections), owned, { tables: async () => {} })
    })
    beforeEach(() => admin.database.empty())
    afterAll(async () => {
      await service.close()
      await admin.close()
    })

    test('does not fail the next requests', async () => {
      const { id } = await service.add('/api/owner', { name: 'o' })
      for (let round = 0; round < 3; round++) {
        await Promise.all(Array.from({ length: 6 }, () => service.read(`/api/owner/${id}`)))
        expect(await drop(admin, 'all')).toBeGreaterThan(0)
        await wait(100)
        const answers = await Promise.all([
          service.get(`/api/owner/${id}`),
          service.patch(`/api/owner/${id}`, { note: `${round}` }),
          service.post('/api/owner', { name: 'p', items: [{ name: 'i' }] }),
          service.get('/api/owner'),
        ])
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 200])
      }
      expect((await service.read('/api/owner')).count).toBe(4)
    })

    test('in the middle of a write: it is done anew on another one, once', async () => {
      const { id } = await service.add('/api/owner', { name: 'o', items: [{ name: 'old' }] })
      const writer = await otherWriter(admin.database)
      // The new child has to wait until it is known whether its rank is free: by then the old one is deleted.
      await writer.run(`insert into item (name, rank, "ownerId") values ('other', 1, ${id})`)
      const put = service.put(`/api/owner/${id}`, { name: 'new', items: [{ name: 'a' }, { name: 'b', rank: 1 }] })
      await writer.untilAwaited()
      expect(await drop(admin, 'waiting')).toBe(1)
      await writer.untilAwaited()
      await writer.end('rollback')
      const answer = await put
      expect(answer.status).toBe(200)
      expect(answer.body.items.map(({ name }: { name: string }) => name)).toEqual(['a', 'b'])
      expect((await admin.snapshot(['item'])).item).toHaveLength(2)
    })

    describe('where its end comes later than the word of it', () => {
      let proxy: PostgresProxy
      let behind: TestApp

      beforeAll(async () => {
        proxy = await postgresProxy(admin.database.location)
        proxy.endsAfter = 200
        const connections = { session: { application_name: 'service' }, max: 1, kept, port: proxy.port }
        behind = await buildApp(sameDatabase(admin.database, connections), owned, { tables: async () => {} })
      })
      afterAll(async () => {
        await behind.close()
        await proxy.close()
      })

      test('in the middle of a write: it is done anew on another one', async () => {
        const { id } = await admin.add('/api/owner', { name: 'o' })
        for (const name of ['a', 'b', 'c']) {
          const writer = await otherWriter(admin.database)
          await writer.run(`select 1 from owner where id = ${id} for update`)
          const patch = behind.patch(`/api/owner/${id}`, { name })
          while ((await drop(admin, 'waiting')) === 0) await wait(1)
          await writer.end('rollback')
          expect((await patch).status).toBe(200)
          expect((await admin.read(`/api/owner/${id}`)).name).toBe(name)
        }
      })

      test.each([
        { title: 'a statement', last: sql`select pg_terminate_backend(pg_backend_pid())` },
        { title: 'a statement with values', last: sql`select pg_terminate_backend(pg_backend_pid(), ${1})` },
        {
          title: 'one that the driver prepares',
          last: sql`select pg_terminate_backend(pg_backend_pid()), ${[1]}::int[]`,
        },
      ])('in the middle of $title of the application: the write behind it is done on another one', async ({ last }) => {
        const { id } = await behind.add('/api/owner', { name: 'o' })
        await expect(last.execute(behind.db)).rejects.toThrow('terminating connection')
        expect((await behind.patch(`/api/owner/${id}`, { name: 'p' })).status).toBe(200)
        expect((await admin.read(`/api/owner/${id}`)).name).toBe('p')
      })
    })

    test('in the middle of each try: 503 with Retry-After, and nothing of the write is left', async () => {
      const { id } = await service.add('/api/owner', { name: 'o', items: [{ name: 'old', parts: [{ name: 'p' }] }] })
      const before = await admin.snapshot()
      const writer = await otherWriter(admin.database)
      await writer.run(`select 1 from owner where id = ${id} for update`)
      let answered = false
      const put = service.put(`/api/owner/${id}`, { name: 'new' }).finally(() => {
        answered = true
      })
      while (!answered) {
        await drop(admin, 'waiting')
        await wait(5)
      }
      const answer = await put
      expectProblem(answer, { code: 'CRUD_ERR_BUSY' })
      expect(answer.headers['retry-after']).toMatch(/^\d+$/)
      await writer.end('rollback')
      expect(await admin.snapshot()).toEqual(before)
    })

    test('does not end the process, also where the application listens to errors of its pool only', async () => {
      const { id } = await admin.add('/api/owner', { name: 'o' })
      const writer = await otherWriter(admin.database)
      await writer.run(`select 1 from owner where id = ${id} for update`)
      const patch = admin.patch(`/api/owner/${id}`, { name: 'patched' })
      await writer.untilAwaited()
      await sql`select pg_terminate_backend(pid, ${GONE_WITHIN_MS}) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(admin.db)
      await writer.end('rollback')
      expect((await patch).status).toBe(200)
    })

    test('again and again while others write: each write is whole or not there', async () => {
      const writes = Array.from({ length: 40 }, async (_, n) => {
        await wait(n * 5)
        const name = `${n}`
        return { name, answer: await service.post('/api/owner', { name, items: [{ name }, { name }], card: { name } }) }
      })
      let open = true
      const drops = (async () => {
        for (; open; await wait(40)) await drop(admin, 'all')
      })()
      const results = await Promise.all(writes)
      open = false
      await drops
      const stored = await admin.db.selectFrom('owner').selectAll().execute()
      for (const { name, answer } of results) {
        const found = stored.filter((row) => row.name === name)
        const stands: Readonly<Record<string, readonly number[]>> = {
          '201': [1],
          '503 CRUD_ERR_BUSY': [0],
          // The connection was lost while the commit was under way: only the database knows what came of it.
          '500 CRUD_ERR_OUTCOME_UNKNOWN': [0, 1],
        }
        expect(stands[resultOf(answer)], resultOf(answer)).toContain(found.length)
        const whole = { items: [{ name }, { name }], card: { name } }
        for (const { id } of found) expect(await service.read(`/api/owner/${id}`)).toMatchObject(whole)
      }
    })
  },
)
