import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildApp, type TestApp } from '../support/app.ts'
import { databases, type TestDatabase } from '../support/databases.ts'
import { errorLog } from '../support/error-log.ts'
import { type Loss, type PostgresProxy, postgresProxy } from '../support/postgres-proxy.ts'
import { expectProblem } from '../support/problem.ts'
import { resultOf } from '../support/result-of.ts'
import { sameDatabase } from '../support/same-database.ts'
import { owned } from './models.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

describe.each([{ kept: false }, { kept: true }])(
  'statements that PostgreSQL runs, but whose answer is lost (keepStatements: $kept)',
  ({ kept }) => {
    const { fastify, lines } = errorLog()
    let proxy: PostgresProxy
    let admin: TestApp
    let service: TestApp

    beforeAll(async () => {
      admin = await buildApp(postgres, owned)
      proxy = await postgresProxy(admin.database.location)
      const connections = { kept, port: proxy.port, patience: 1_000, max: 3 }
      service = await buildApp(sameDatabase(admin.database, connections), owned, { tables: async () => {}, fastify })
    })
    beforeEach(async () => {
      await proxy.cut()
      return admin.database.empty()
    })
    afterAll(async () => {
      await service.close()
      await proxy.close()
      await admin.close()
    })

    test.each<{ title: string; how: Loss }>([
      { title: 'the connection was closed', how: 'closed' },
      { title: 'it was reset', how: 'reset' },
      { title: 'the driver waited long enough', how: 'silent' },
    ])('COMMIT: the write is there, and is not done again, as $title', async ({ how }) => {
      proxy.lose('COMMIT', how)
      const post = await service.post('/api/owner', { name: 'o', items: [{ name: 'i' }] })
      // Nobody knows, so nobody may say that it was refused, or could be sent once more.
      expectProblem(post, { code: 'CRUD_ERR_OUTCOME_UNKNOWN' })
      expect(post.headers['retry-after']).toBeUndefined()
      expect(lines.at(-1)).toContain('CRUD_ERR_OUTCOME_UNKNOWN')
      const { rows } = await admin.read('/api/owner')
      expect(rows).toMatchObject([{ name: 'o', items: [{ name: 'i' }] }])
      await proxy.cut()
      proxy.lose('COMMIT', how)
      const patch = await service.patch(`/api/owner/${rows[0].id}`, { items: [{ name: 'j' }] })
      expectProblem(patch, { code: 'CRUD_ERR_OUTCOME_UNKNOWN' })
      expect((await admin.read(`/api/owner/${rows[0].id}`)).items).toHaveLength(2)
    })

    test('what is read before a write: it is done once, on another connection', async () => {
      const { id } = await admin.add('/api/owner', { name: 'o', items: [{ name: 'i' }] })
      for (const name of ['a', 'b']) {
        proxy.lose('SELECT', 'closed')
        expect((await service.patch(`/api/owner/${id}`, { items: [{ name }] })).status).toBe(200)
      }
      expect((await admin.read(`/api/owner/${id}`)).items).toHaveLength(3)
    })

    test('BEGIN and the lock: the write is done once, on another connection', async () => {
      const { id } = await admin.add('/api/owner', { name: 'o', items: [{ name: 'i' }, { name: 'j' }] })
      const { items } = await admin.read(`/api/owner/${id}`)
      proxy.lose('BEGIN', 'closed')
      expect((await service.post(`/api/owner/${id}/item`, { name: 'k' })).status).toBe(201)
      expect((await admin.read(`/api/owner/${id}`)).items).toHaveLength(3)
      proxy.lose('BEGIN', 'closed')
      expect((await service.delete(`/api/owner/${id}/item/${items[0].id}`)).status).toBe(204)
      expect((await admin.read(`/api/owner/${id}`)).items).toHaveLength(2)
    })

    /** Only a connection that answered a moment ago gets all of a write in one message. */
    const doneAs = (status: number) => {
      if (!kept) expect(proxy.lost).not.toContain('COMMIT')
      return proxy.lost.includes('COMMIT') ? '500 CRUD_ERR_OUTCOME_UNKNOWN' : `${status}`
    }

    test('BEGIN: nobody knows if COMMIT went in the same message, else the write is done once, on another connection', async () => {
      const { id } = await admin.add('/api/owner', { name: 'o', items: [{ name: 'i' }] })
      proxy.lose('BEGIN', 'closed')
      const patch = await service.patch(`/api/owner/${id}`, { items: [{ name: 'j' }] })
      expect(resultOf(patch)).toBe(doneAs(200))
      expect((await admin.read(`/api/owner/${id}`)).items).toHaveLength(2)
      await service.read(`/api/owner/${id}`)
      proxy.lose('BEGIN', 'closed')
      const post = await service.post('/api/owner', { name: 'p', card: { name: 'c' } })
      expect(resultOf(post)).toBe(doneAs(201))
      expect((await admin.read('/api/owner')).count).toBe(2)
    })

    test('a create on a connection that was silent for a while: it is done once, on another connection', async () => {
      await service.read('/api/owner')
      await wait(100)
      proxy.lose('BEGIN', 'closed')
      expect((await service.post('/api/owner', { name: 'o', items: [{ name: 'i' }] })).status).toBe(201)
      expect((await admin.read('/api/owner')).rows).toMatchObject([{ name: 'o', items: [{ name: 'i' }] }])
    })
  },
)
