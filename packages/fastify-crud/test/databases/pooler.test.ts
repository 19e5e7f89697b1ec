import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import { createStore, createTables, crudPlugin, defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { type PgBouncer, POOL_SIZE, startPgBouncer } from '../../../../test/support/pgbouncer.ts'
import { type PostgresDatabase, takePostgresDatabase } from '../../../../test/support/postgres-database.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'
import { topPath } from '../../../core/src/model/collection-path.ts'
import { createJsonStore } from '../../../core/src/store/json-store.ts'

const resources = defineResources({
  order: { fields: { number: Type.Integer() }, relations: { lines: owns.many('line') }, unique: [['number']] },
  line: { fields: { text: Type.String() }, relations: { order: ownedBy('order'), tag: knows.one('tag') } },
  tag: { fields: { name: Type.String() } },
})

let database: PostgresDatabase
let pgbouncer: PgBouncer
let direct: TestKysely
let db: TestKysely
let app: FastifyInstance

beforeAll(async () => {
  database = await takePostgresDatabase()
  pgbouncer = await startPgBouncer(database.url)
  direct = openPostgres(database.url, { max: 2, warn: () => {} })
  await createTables(direct, resources)
  db = openPostgres(pgbouncer.url, { pooler: true, max: 20, warn: () => {} })
  app = Fastify()
  await app.register(crudPlugin, { db, resources })
})

beforeEach(async () => {
  await sql`truncate "order", line, tag`.execute(direct)
})

afterAll(async () => {
  await app.close()
  await Promise.all([db.destroy(), direct.destroy()])
  await pgbouncer.stop()
  await database.giveBack()
})

async function send(method: string, path: string, body?: object): Promise<{ status: number; body: JsonBody }> {
  const answer = await app.inject({ method: method as 'GET', url: `/api${path}`, ...(body && { payload: body }) })
  return { status: answer.statusCode, body: answer.payload === '' ? undefined : answer.json() }
}

test('A service behind PgBouncer serves every method, for more clients than there are connections to the server', async () => {
  const use = async (number: number) => {
    const created = await send('POST', '/order', { number, lines: [{ text: 'a' }, { text: 'b' }] })
    expect(created.status).toBe(201)
    const path = `/order/${created.body.id}`
    const [first] = created.body.lines
    const replaced = await send('PUT', path, { number: -number, lines: [{ ...first, text: 'c' }, { text: 'd' }] })
    expect(replaced).toMatchObject({ status: 200, body: { number: -number, lines: [{ text: 'c' }, { text: 'd' }] } })
    expect((await send('PATCH', `${path}/line/${first.id}`, { text: 'e' })).status).toBe(200)
    expect(await send('GET', path)).toMatchObject({ status: 200, body: { lines: [{ text: 'e' }, { text: 'd' }] } })
    expect((await send('DELETE', path)).status).toBe(204)
  }
  for (let round = 0; round < 4; round += 1) {
    await Promise.all(Array.from({ length: 5 * POOL_SIZE }, (_, index) => use(1 + index)))
  }
  expect(await send('GET', '/order')).toMatchObject({ body: { rows: [], count: 0 } })
})

test('One order is changed by many clients behind PgBouncer, one after the other', async () => {
  const { body: order } = await send('POST', '/order', { number: 1, lines: [] })
  const added = await Promise.all(
    Array.from({ length: 30 }, (_, index) => send('PATCH', `/order/${order.id}`, { lines: [{ text: `${index}` }] })),
  )
  expect(added.map(({ status }) => status)).toEqual(added.map(() => 200))
  expect((await send('GET', `/order/${order.id}`)).body.lines).toHaveLength(30)
  const taken = await Promise.all(Array.from({ length: 10 }, () => send('POST', '/order', { number: 7, lines: [] })))
  expect(taken.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)])
})

test('The servers behind PgBouncer keep no statements of the service, and no settings', async () => {
  for (let index = 0; index < 10; index += 1) await send('GET', '/order?sort=-number')
  const asked = await Promise.all(
    Array.from({ length: 2 * POOL_SIZE }, () =>
      sql<{ kept: number; timeout: string }>`
        select (select count(*)::int from pg_prepared_statements) as kept, current_setting('statement_timeout') as timeout, pg_sleep(0.05)`.execute(
        db,
      ),
    ),
  )
  expect(asked.flatMap(({ rows }) => rows.map(({ kept, timeout }) => [kept, timeout]))).toEqual(
    asked.map(() => [0, '0']),
  )
})

test('Settings of `session` are those of one transaction, whoever has its server next', async () => {
  const store = createStore({ db, resources, session: (caller: { id: number }) => ({ 'app.user': `${caller.id}` }) })
  const seen = new Map<number, string | null>()
  await Promise.all(
    Array.from({ length: 20 }, async (_, id) => {
      await store.as({ id }).tag.create({ name: `of ${id}` })
      const { rows } = await sql<{
        user: string | null
      }>`select nullif(current_setting('app.user', true), '') as user`.execute(db)
      seen.set(id, rows[0]?.user ?? null)
    }),
  )
  expect([...new Set(seen.values())]).toEqual([null])
})

test('A client that goes away ends its read, which PgBouncer cancels on the server', async () => {
  const store = createJsonStore({ db, resources })
  const at = { path: topPath(resources, 'tag'), owners: [] }
  const gone = new AbortController()
  await direct.transaction().execute(async (trx) => {
    await sql`lock table tag in access exclusive mode`.execute(trx)
    const read = Promise.resolve(store.list(at, { limit: 1, sort: ['-name'] }, { signal: gone.signal }))
    read.catch(() => {})
    await waitsForLock(trx, 1)
    gone.abort(new Error('gone'))
    await expect(read).rejects.toThrow('gone')
    await waitsForLock(trx, 0)
  })
  expect((await send('GET', '/tag?limit=1')).status).toBe(200)
})

/** Resolves when so many statements wait for a lock. */
async function waitsForLock(on: TestKysely, count: number): Promise<void> {
  const waiting = async () => {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(on)
    return rows.length
  }
  await vi.waitUntil(async () => (await waiting()) === count, { timeout: 20_000 })
}

test('A server that PgBouncer loses is replaced, and the request is answered', async () => {
  const { body: order } = await send('POST', '/order', { number: 1, lines: [] })
  for (let round = 0; round < 3; round += 1) {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name = ''`.execute(direct)
    expect((await send('PATCH', `/order/${order.id}`, { number: round + 2 })).status).toBe(200)
    expect((await send('GET', `/order/${order.id}`)).body).toMatchObject({ number: round + 2 })
  }
})

test('Without the option, PgBouncer refuses the connection, and the error names the option', async () => {
  const url = pgbouncer.url
  const without = openPostgres(url, { warn: () => {} })
  await expect(sql`select 1`.execute(without)).rejects.toThrow(
    /unsupported startup parameter: statement_timeout.*openPostgres\(url, { pooler: true }\)/s,
  )
  await without.destroy()
})

test('Settings that a pooler cannot keep are refused beside the option', () => {
  const url = pgbouncer.url
  for (const settings of [{ statement_timeout: 10 }, { application_name: 'x' }, { options: '-c lock_timeout=1s' }]) {
    const [name] = Object.keys(settings)
    expect(() => openPostgres(url, { pooler: true, ...settings })).toThrow(`leave out ${name}: a pooler cannot keep it`)
  }
  expect(() => openPostgres(`${url}?statement_timeout=10`, { pooler: true })).toThrow('leave out statement_timeout')
})
