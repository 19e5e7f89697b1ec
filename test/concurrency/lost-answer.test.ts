import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildApp, type TestApp } from '../support/app.ts'
import { databases, type TestDatabase } from '../support/databases.ts'
import { errorLog } from '../support/error-log.ts'
import { type Around, wrappedDatabase } from '../support/wrapped-pool.ts'
import { owned } from './models.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

const TIMEOUT = 'Query read timeout'
const send: Around = (_, run) => run()

describe.each([{ pipelined: false }, { pipelined: true }])(
  'a statement that PostgreSQL runs, but whose answer is lost (pipelined: $pipelined)',
  ({ pipelined }) => {
    const { fastify, lines } = errorLog()
    let around: Around = send
    let admin: TestApp
    let service: TestApp

    beforeAll(async () => {
      admin = await buildApp(postgres, owned)
      const kind = wrappedDatabase(admin.database, (...args) => around(...args), pipelined)
      service = await buildApp(kind, owned, { tables: async () => {}, fastify })
    })
    beforeEach(() => {
      around = send
      return admin.database.empty()
    })
    afterAll(async () => {
      await service.close()
      await admin.close()
    })

    /** Loses the answer to the first statement that begins so, and the connection unless it is only the driver's patience. */
    function lose(start: string, error: Error): void {
      around = async (text, run, drop) => {
        const answer = await run()
        if (!text.startsWith(start)) return answer
        around = send
        if (error.message !== TIMEOUT) drop()
        throw error
      }
    }

    const terminated = () => new Error('Connection terminated unexpectedly')

    test.each([
      { title: 'the connection was lost', error: terminated },
      { title: 'it was reset', error: () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) },
      { title: 'the driver waited long enough', error: () => new Error(TIMEOUT) },
    ])('COMMIT: the write is there, and is not done again, as $title', async ({ error }) => {
      lose('commit', error())
      const post = await service.post('/api/owner', { name: 'o', items: [{ name: 'i' }] })
      // Nobody knows, so nobody may say that it was refused, or could be sent once more.
      expect(post.status).toBe(500)
      expect(post.headers['retry-after']).toBeUndefined()
      expect(lines.at(-1)).toContain('CommitUnknownError')
      const { rows } = await admin.read('/api/owner')
      expect(rows).toMatchObject([{ name: 'o', items: [{ name: 'i' }] }])
      lose('commit', error())
      expect((await service.patch(`/api/owner/${rows[0].id}`, { items: [{ name: 'j' }] })).status).toBe(500)
      expect((await admin.read(`/api/owner/${rows[0].id}`)).items).toHaveLength(2)
    })

    if (pipelined) {
      test('a BEGIN that is refused: what was sent behind it does not go on without a transaction', async () => {
        const before = await admin.add('/api/owner', { name: 'o', items: [{ name: 'a' }, { name: 'b', rank: 1 }] })
        around = async (text, run) => {
          if (!text.startsWith('begin')) return run()
          around = send
          throw Object.assign(new Error('canceling statement due to user request'), {
            code: '57014',
            severity: 'ERROR',
          })
        }
        const body = {
          name: 'new',
          items: [
            { ...before.items[1], rank: 2 },
            { name: 'c', rank: 1 },
          ],
        }
        expect((await service.put(`/api/owner/${before.id}`, body)).status).toBe(500)
        expect(await admin.read(`/api/owner/${before.id}`)).toEqual(before)
      })

      test('a statement that the COMMIT went off behind: nobody knows, and it is not done again', async () => {
        const { id } = await admin.add('/api/owner', { name: 'o', items: [{ name: 'i' }] })
        lose('with', terminated())
        expect((await service.patch(`/api/owner/${id}`, { items: [{ name: 'j' }] })).status).toBe(500)
        expect(lines.at(-1)).toContain('CommitUnknownError')
        expect((await admin.read(`/api/owner/${id}`)).items).toHaveLength(2)
      })
    }

    test('any statement before: the write is done once, on another connection', async () => {
      const { id } = await admin.add('/api/owner', { name: 'o', items: [{ name: 'i' }] })
      for (const start of pipelined ? ['begin', 'select', 'begin'] : ['begin', 'with', 'select']) {
        lose(start, terminated())
        const answer = await service.patch(`/api/owner/${id}`, { items: [{ name: start }] })
        expect(answer.status).toBe(200)
      }
      lose('begin', terminated())
      expect((await service.post('/api/owner', { name: 'p', card: { name: 'c' } })).status).toBe(201)
      expect((await admin.read(`/api/owner/${id}`)).items).toHaveLength(4)
      expect((await admin.read('/api/owner')).count).toBe(2)
    })
  },
)
