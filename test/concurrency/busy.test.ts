import { describe, expect, test } from 'vitest'
import { type Answer, buildApp, type TestApp, useApp } from '../support/app.ts'
import { databases, type TestDatabase } from '../support/databases.ts'
import { describeOnDatabases } from '../support/describe-on-databases.ts'
import { errorLog } from '../support/error-log.ts'
import { otherWriter } from '../support/other-writer.ts'
import { expectProblem } from '../support/problem.ts'
import { sameDatabase } from '../support/same-database.ts'
import { owned } from './models.ts'

const sqlite = databases.find(({ name }) => name === 'sqlite') as TestDatabase

describeOnDatabases('a lock that is held longer than all tries', (database) => {
  const service = useApp(database, owned)
  const { fastify, lines } = errorLog()
  /** The same service, with connections that do not wait long for a lock. */
  let hasty: TestApp

  async function openHasty(): Promise<TestApp> {
    const options = { sqliteTimeout: 1, session: { lock_timeout: '5ms' } }
    return buildApp(sameDatabase(service.database, options), owned, { tables: async () => {}, fastify })
  }

  test('is 503 with Retry-After for every write to the owner’s tree, and nothing is stored', async () => {
    hasty = await openHasty()
    try {
      const owner = await service.add('/api/owner', { name: 'o', items: [{ name: 'i', parts: [{ name: 'p' }] }] })
      const path = `/api/owner/${owner.id}`
      const item = `${path}/item/${owner.items[0].id}`
      const before = await service.snapshot()
      const writer = await otherWriter(service.database)
      if (database.name === 'postgres') await writer.run(`select 1 from owner where id = ${owner.id} for update`)
      const answers = await Promise.all([
        hasty.put(path, { name: 'new' }),
        hasty.patch(path, { card: { name: 'c' } }),
        hasty.delete(path),
        hasty.post(`${path}/item`, { name: 'new' }),
        hasty.patch(item, { name: 'new' }),
        hasty.delete(`${item}/part/${owner.items[0].parts[0].id}`),
      ])
      for (const answer of answers) {
        expect(lines).toEqual([])
        expectProblem(answer, { code: 'CRUD_ERR_BUSY' })
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
      }
      // Reading waits for nobody, and neither does a write that would change nothing.
      expect(await hasty.read(path)).toEqual(owner)
      expect((await hasty.put(path, owner)).body).toEqual(owner)
      await writer.end('rollback')
      expect(await service.snapshot()).toEqual(before)
      expect((await hasty.patch(path, { name: 'now' })).body.name).toBe('now')
    } finally {
      await hasty.close()
    }
  })

  test('and is let go after a while: the writes that wait are done', async () => {
    const owner = await service.add('/api/owner', { name: 'o' })
    const path = `/api/owner/${owner.id}`
    hasty = await openHasty()
    try {
      const writer = await otherWriter(service.database)
      await writer.run(`update owner set note = 'other' where id = ${owner.id}`)
      const patched = hasty.patch(path, { name: 'patched' })
      const others: Promise<Answer>[] = ['a', 'b'].map((name) => hasty.post(`${path}/item`, { name }))
      await new Promise((resolve) => setTimeout(resolve, 60))
      await writer.end('commit')
      expect((await patched).status).toBe(200)
      expect((await Promise.all(others)).map(({ status }) => status)).toEqual([201, 201])
      const now = await service.read(path)
      expect([now.name, now.note, now.items.length]).toEqual(['patched', 'other', 2])
    } finally {
      await hasty.close()
    }
  })
})

describe('a SQLite driver that waits long for a lock itself', () => {
  const service = useApp(sqlite, owned)

  test('is not asked again and again: nobody else is served meanwhile', async () => {
    const slow = await buildApp(sameDatabase(service.database, { sqliteTimeout: 5_100 }), owned, {
      tables: async () => {},
    })
    const writer = await otherWriter(service.database)
    try {
      const sent = await slow.statements(async () => {
        expectProblem(await slow.post('/api/owner', { name: 'o' }), { code: 'CRUD_ERR_BUSY' })
      })
      expect(sent).toEqual(['begin immediate'])
    } finally {
      await writer.end('rollback')
      await slow.close()
    }
  })
})
