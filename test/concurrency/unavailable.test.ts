import { createTables } from 'fastify-crud'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp, type TestApp } from '../support/app.ts'
import { databases, setups, type TestDatabase } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { expectProblem } from '../support/problem.ts'
import { sameDatabase } from '../support/same-database.ts'
import { refuseBy } from '../support/trigger.ts'
import { owned } from './models.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase
const code = 'CRUD_ERR_BUSY'

/** All writes are 503 and change nothing; what only reads goes on. */
async function expectReadsOnly(service: TestApp, id: number): Promise<void> {
  const path = `/api/owner/${id}`
  const record = await service.read(path)
  for (const answer of [
    await service.post('/api/owner', { name: 'b'.repeat(20_000) }),
    await service.patch(path, { name: 'b'.repeat(20_000) }),
    await service.put(path, { name: 'b'.repeat(20_000), items: [] }),
  ]) {
    expectProblem(answer, { code })
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  }
  expect((await service.get('/api/owner')).body).toEqual({ rows: [record], count: 1 })
  expect(await service.put(path, record)).toMatchObject({ status: 200, body: record })
}

describe.each([false, true])('a PostgreSQL that has become read-only (keepStatements: %s)', (kept) => {
  let admin: TestApp
  let service: TestApp

  beforeAll(async () => {
    admin = await buildApp(postgres, owned)
    const session = { default_transaction_read_only: 'on' }
    service = await buildApp(sameDatabase(admin.database, { session, kept }), owned, { tables: async () => {} })
  })
  afterAll(async () => {
    await service.close()
    await admin.close()
  })

  test('writes are 503 and change nothing, reads go on', async () => {
    const { id } = await admin.add('/api/owner', { name: 'a', items: [{ name: 'i' }] })
    await expectReadsOnly(service, id)
    expectProblem(await service.delete(`/api/owner/${id}`), { code })
    expect((await service.read(`/api/owner/${id}`)).items).toHaveLength(1)
  })
})

describe.each([false, true])('a PostgreSQL that refuses connections (keepStatements: %s)', (kept) => {
  let admin: TestApp
  let service: TestApp

  beforeAll(async () => {
    admin = await buildApp(postgres, owned)
    const connections = { port: await freePort(), kept }
    service = await buildApp(sameDatabase(admin.database, connections), owned, { tables: async () => {} })
  })
  afterAll(async () => {
    await service.close()
    await admin.close()
  })

  test('all requests are 503, and say when to try again', async () => {
    const answers = await Promise.all([
      service.get('/api/owner'),
      service.post('/api/owner', { name: 'a' }),
      service.put('/api/owner/1', { name: 'a' }),
      service.patch('/api/owner/1', { name: 'a' }),
      service.delete('/api/owner/1'),
    ])
    for (const answer of answers) {
      expectProblem(answer, { code })
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    }
  })
})

describe('a PostgreSQL without room on its disk', () => {
  let service: TestApp

  beforeAll(async () => {
    const tables: NonNullable<Parameters<typeof buildApp>[2]>['tables'] = async (database) => {
      await createTables(database.db, owned)
      // A real disk cannot be filled here: the server's error comes from a trigger.
      for (const on of ['insert', 'update'] as const) {
        await refuseBy(database, { table: 'owner', on, when: "new.name like 'b%'", code: '53100' })
      }
    }
    service = await buildApp(postgres, owned, { tables })
  })
  afterAll(() => service.close())

  test('writes are 503 and change nothing, reads go on', async () => {
    const { id } = await service.add('/api/owner', { name: 'a', items: [{ name: 'i' }] })
    await expectReadsOnly(service, id)
  })
})

for (const setup of setups.filter(({ name }) => name === 'sqlite')) {
  describe(`a SQLite file that may not grow any more (${setup.title})`, () => {
    let service: TestApp

    beforeAll(async () => {
      service = await buildApp(setup, owned)
    })
    afterAll(() => service.close())

    test('writes are 503 and change nothing, reads go on', async () => {
      const { id } = await service.add('/api/owner', { name: 'a', items: [{ name: 'i' }] })
      await sql`pragma max_page_count = 1`.execute(service.db)
      await expectReadsOnly(service, id)
    })
  })
}
