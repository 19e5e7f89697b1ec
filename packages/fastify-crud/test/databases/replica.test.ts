import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import { type CrudOptions, createTables, crudPlugin, defineResources, ownedBy, owns, readChanges } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { type PostgresServer, startPostgres } from '../../../../test/support/postgres/start-postgres.ts'
import { type StatementLog, statementLog } from '../../../../test/support/statement-log.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'
import { follow } from '../changes/support/follow.ts'

// A real primary and a real streaming replica.

const resources = defineResources({
  order: { fields: { number: Type.Integer() }, relations: { lines: owns.many('line') } },
  line: { fields: { text: Type.String() }, relations: { order: ownedBy('order') } },
  news: { fields: { text: Type.String() }, history: true },
  memo: { softDelete: { column: 'deletedAt', trash: { purge: true } }, fields: { text: Type.String() } },
})

const SETTINGS = {
  fsync: 'off',
  wal_level: 'replica',
  max_wal_senders: '4',
  wal_keep_size: '64MB',
  hot_standby: 'on',
  max_standby_streaming_delay: '0',
}

let primary: PostgresServer
let second: PostgresServer
let primaryLog: StatementLog
let replicaLog: StatementLog
let db: TestKysely
let replica: TestKysely
/** Asks the replica, beside the service. */
let admin: TestKysely
const apps: FastifyInstance[] = []

beforeAll(async () => {
  primary = await startPostgres({ name: 'fastify-crud-primary', settings: SETTINGS })
  const warn = () => {}
  primaryLog = statementLog()
  replicaLog = statementLog()
  db = openPostgres(primary.url, { log: primaryLog.logger, warn, connectionTimeoutMillis: 2000 })
  await createTables(db, resources)
  second = await startPostgres({ name: 'fastify-crud-replica', settings: SETTINGS, replicaOf: primary.url })
  replica = openPostgres(second.url, { log: replicaLog.logger, warn, connectionTimeoutMillis: 2000 })
  admin = openPostgres(second.url, { warn, max: 1 })
}, 60_000)

afterEach(async () => {
  await sql`select pg_wal_replay_resume()`.execute(admin).catch(() => {})
  await Promise.all(apps.splice(0).map((app) => app.close()))
})

afterAll(async () => {
  await Promise.all([db.destroy(), replica.destroy(), admin.destroy()])
  await second.stop()
  await primary.stop()
})

async function serviceWith(
  options: Partial<NonNullable<CrudOptions['replica']>> = {},
  others: Pick<CrudOptions, 'batch' | 'changes'> = {},
): Promise<FastifyInstance> {
  const app = Fastify()
  await app.register(crudPlugin, { db, resources, replica: { db: replica, when: () => true, ...options }, ...others })
  apps.push(app)
  return app
}

interface Sent {
  readonly status: number
  readonly body: JsonBody
  readonly headers: Readonly<Record<string, unknown>>
}

async function send(app: FastifyInstance, method: string, path: string, body?: object, headers = {}): Promise<Sent> {
  const answer = await app.inject({
    method: method as 'GET',
    url: `/api${path}`,
    headers,
    ...(body && { payload: body }),
  })
  return {
    status: answer.statusCode,
    body: answer.payload === '' ? undefined : answer.json(),
    headers: answer.headers,
  }
}

/** Which servers a request has read or written tables on. */
async function serversOf(run: () => Promise<unknown>): Promise<readonly string[]> {
  let onReplica: readonly string[] = []
  const onPrimary = await primaryLog.record(async () => {
    onReplica = await replicaLog.record(run)
  })
  const isOfTables = (statement: string) => /"order"|"line"|"memo"/.test(statement)
  return [...(onPrimary.some(isOfTables) ? ['primary'] : []), ...(onReplica.some(isOfTables) ? ['replica'] : [])]
}

async function replayed(app: FastifyInstance, path: string): Promise<void> {
  await vi.waitUntil(async () => (await send(app, 'GET', path)).status === 200, { timeout: 20_000, interval: 20 })
}

test('Streams of changes come from the primary, while the replica is behind', async () => {
  const app = await serviceWith({}, { changes: { poll: 5 } })
  await sql`select pg_wal_replay_pause()`.execute(admin)
  const stream = await follow(app, '/api/$changes')
  const { body } = await send(app, 'POST', '/news', { text: 'a' })
  const [event] = await stream.until(1)
  expect(event?.data.changes).toMatchObject([{ action: 'Add', resource: 'news', id: body.id }])
  stream.close()
})

test('Nobody follows the changes of a replica: it does not know who is writing', async () => {
  const changes = readChanges(replica, resources, { after: 0 })
  await expect(changes.next()).rejects.toThrow(
    'changes: cannot be followed on a replica, which does not know which writes are still to come: give the primary',
  )
})

test('Reads go to the replica if `when` says so, writes never', async () => {
  const app = await serviceWith({ when: ({ headers }) => headers['x-fresh'] === undefined })
  const { body: order } = await send(app, 'POST', '/order', { number: 1, lines: [{ text: 'a' }] })
  const path = `/order/${order.id}`
  await replayed(app, path)
  expect(await serversOf(() => send(app, 'GET', path))).toEqual(['replica'])
  expect(await serversOf(() => send(app, 'HEAD', path))).toEqual(['replica'])
  expect(await serversOf(() => send(app, 'GET', '/order?filter[number]=1&include=lines'))).toEqual(['replica'])
  expect(await serversOf(() => send(app, 'GET', path, undefined, { 'x-fresh': '1' }))).toEqual(['primary'])
  expect(await serversOf(() => send(app, 'PATCH', path, { number: 2 }))).toEqual(['primary'])
  expect(await serversOf(() => send(app, 'DELETE', path))).toEqual(['primary'])
})

test('Deleted records and queries in bodies are read from the replica, and what a trash does has a position', async () => {
  const app = await serviceWith({ wait: 5_000 })
  const { body: memo } = await send(app, 'POST', '/memo', { text: 'a' })
  await replayed(app, `/memo/${memo.id}`)
  expect(await serversOf(() => send(app, 'POST', '/memo/$list', { filter: { text: 'a' } }))).toEqual(['replica'])
  await send(app, 'DELETE', `/memo/${memo.id}`)
  await replayed(app, `/memo/$deleted/${memo.id}`)
  expect(await serversOf(() => send(app, 'GET', '/memo/$deleted'))).toEqual(['replica'])
  expect(await serversOf(() => send(app, 'GET', `/memo/$deleted/${memo.id}`))).toEqual(['replica'])
  const restored = await send(app, 'POST', `/memo/${memo.id}/$restore`)
  await send(app, 'DELETE', `/memo/${memo.id}`)
  const purged = await send(app, 'DELETE', `/memo/$deleted/${memo.id}`)
  expect([restored.status, purged.status]).toEqual([200, 204])
  for (const { headers } of [restored, purged]) expect(headers['crud-position']).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/)
})

test('A read that sends back the position of a write sees it, also while the replica is behind', async () => {
  const app = await serviceWith({ wait: 100 })
  const { body: order } = await send(app, 'POST', '/order', { number: 1, lines: [] })
  const path = `/order/${order.id}`
  await replayed(app, path)
  await sql`select pg_wal_replay_pause()`.execute(admin)
  const patched = await send(app, 'PATCH', path, { number: 7 })
  const position = { 'crud-position': String(patched.headers['crud-position']) }
  expect(position['crud-position']).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/)
  expect((await send(app, 'GET', path)).body.number).toBe(1)
  let seen: Sent | undefined
  expect(await serversOf(async () => (seen = await send(app, 'GET', path, undefined, position)))).toEqual(['primary'])
  expect(seen?.body.number).toBe(7)
  await sql`select pg_wal_replay_resume()`.execute(admin)
  await vi.waitUntil(
    async () => (await serversOf(() => send(app, 'GET', path, undefined, position)))[0] === 'replica',
    {
      timeout: 20_000,
    },
  )
  expect((await send(app, 'GET', path, undefined, position)).body.number).toBe(7)
})

test('Many reads wait for the replica by one question at a time, and hold no connection', async () => {
  const app = await serviceWith({ wait: 20_000 })
  const { body: order, headers } = await send(app, 'POST', '/order', { number: 1, lines: [] })
  await sql`select pg_wal_replay_pause()`.execute(admin)
  const { headers: later } = await send(app, 'PATCH', `/order/${order.id}`, { number: 8 })
  expect(String(later['crud-position']) > String(headers['crud-position'])).toBe(true)
  const position = { 'crud-position': String(later['crud-position']) }
  const statements = await replicaLog.record(async () => {
    const reads = Array.from({ length: 50 }, () => send(app, 'GET', `/order/${order.id}`, undefined, position))
    await new Promise((resolve) => setTimeout(resolve, 200))
    await sql`select pg_wal_replay_resume()`.execute(admin)
    const answers = await Promise.all(reads)
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.number}`))).toEqual(new Set(['200 8']))
  })
  const questions = statements.filter((statement) => statement.includes('pg_last_wal_replay_lsn')).length
  expect(questions).toBeLessThan(50)
})

test('A write has a position, whatever its kind, and one that changes nothing, too; what is undone has none', async () => {
  const app = await serviceWith({ wait: 100 })
  const created = await send(app, 'POST', '/order', { number: 1, lines: [{ text: 'a' }] })
  const path = `/order/${created.body.id}`
  const writes = [
    created,
    await send(app, 'PUT', path, { ...created.body, number: 2 }),
    await send(app, 'PATCH', path, { number: 2 }),
    await send(app, 'PATCH', path, { number: 3, lines: [{ text: 'b' }] }),
    await send(app, 'PATCH', path, { number: 4 }, { prefer: 'return=minimal' }),
    await send(app, 'DELETE', path),
  ]
  for (const { status, headers } of writes) {
    expect(status).toBeLessThan(300)
    expect(headers['crud-position']).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/)
  }
  const undone = await send(app, 'POST', '/order', { number: 1, lines: [] }, { prefer: 'tx=rollback' })
  expect([undone.status, undone.headers['crud-position']]).toEqual([201, undefined])
  const refused = await send(app, 'POST', '/order', { number: 'x' })
  expect([refused.status, refused.headers['crud-position']]).toEqual([400, undefined])
  const plain = await send(await serviceWith(), 'POST', '/order', { number: 1, lines: [] })
  expect([plain.status, plain.headers['crud-position']]).toEqual([201, undefined])
})

test('A batch goes to the primary, also one of reads, and sees what it has written; one that writes has a position', async () => {
  const app = await serviceWith({ wait: 100 }, { batch: true })
  const plain = await send(app, 'POST', '/order', { number: 1, lines: [] })
  const path = `/order/${plain.body.id}`
  await replayed(app, path)
  await sql`select pg_wal_replay_pause()`.execute(admin)
  await send(app, 'PATCH', path, { number: 2 })
  expect((await send(app, 'GET', path)).body.number).toBe(1)
  const batchOf = async (...requests: object[]) => {
    let sent: Sent | undefined
    const servers = await serversOf(async () => (sent = await send(app, 'POST', '/$batch', { requests })))
    expect(servers).toEqual(['primary'])
    return sent as Sent
  }
  const read = { method: 'GET', path }
  const ofReads = await batchOf(read, { method: 'GET', path: '/order?limit=1' })
  expect(ofReads.body.answers[0].body.number).toBe(2)
  const mixed = await batchOf(read, { method: 'PATCH', path, body: { number: 3 } }, read)
  expect(mixed.body.answers.map(({ body }: JsonBody) => body.number)).toEqual([2, 3, 3])
  expect(mixed.headers['crud-position']).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/)
})

test('A position that is none is 400; in a cookie, it is passed over', async () => {
  const app = await serviceWith({ wait: 100, cookie: true })
  for (const position of ['x', '1/', '1/G', '0/1, 0/2', "0/1'", '123456789/0']) {
    const { status, body } = await send(app, 'GET', '/order', undefined, { 'crud-position': position })
    expect([status, body.code, body.errors[0].parameter]).toEqual([400, 'CRUD_ERR_INVALID', 'Crud-Position'])
  }
  expect((await send(app, 'GET', '/order', undefined, { cookie: 'a=b; crud-position=zzz' })).status).toBe(200)
  const { headers, body } = await send(app, 'POST', '/order', { number: 5, lines: [] })
  const cookie = String(headers['set-cookie'])
  expect(cookie).toMatch(/^crud-position=[0-9A-F]+-[0-9A-F]+; Path=\/; HttpOnly; SameSite=Lax$/)
  const sentBack = { cookie: `theme=dark; ${cookie.split(';')[0]}` }
  expect((await send(app, 'GET', `/order/${body.id}`, undefined, sentBack)).body.number).toBe(5)
})

test('Where the replica is lost, the primary answers; where the primary is lost, reads go on, and writes are 503 until it is back', async () => {
  const app = await serviceWith()
  const { body: order } = await send(app, 'POST', '/order', { number: 1, lines: [] })
  const path = `/order/${order.id}`
  await replayed(app, path)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'`.execute(
    admin,
  )
  expect((await send(app, 'GET', path)).status).toBe(200)
  await second.restart('crash')
  expect((await send(app, 'GET', path)).status).toBe(200)
  await vi.waitUntil(async () => (await serversOf(() => send(app, 'GET', path)))[0] === 'replica', { timeout: 20_000 })
  const restarted = primary.restart('crash')
  const meanwhile = await send(app, 'GET', path)
  expect(meanwhile.status).toBe(200)
  const written = await send(app, 'PATCH', path, { number: 2 })
  // Where the server ends while the write is committed, nobody knows whether it is done.
  const isUnknown = written.body.code === 'CRUD_ERR_OUTCOME_UNKNOWN'
  expect([200, isUnknown ? 500 : 503], JSON.stringify(written.body)).toContain(written.status)
  await restarted
  await vi.waitUntil(async () => (await send(app, 'PATCH', path, { number: 3 })).status === 200, { timeout: 20_000 })
}, 60_000)

test('A read that the replica ends, because it has to repeat a write, is answered by the primary', async () => {
  const app = await serviceWith()
  const { body: order } = await send(app, 'POST', '/order', { number: 1, lines: [] })
  await replayed(app, `/order/${order.id}`)
  // The replica waits for no reader: what it has to lock ends each read of the table.
  const answers = await Promise.all([
    ...Array.from({ length: 40 }, () => send(app, 'GET', '/order?sort=-number&include=lines')),
    ...Array.from({ length: 4 }, () =>
      sql`alter table line alter column text set statistics 10`.execute(db).then(() => ({ status: 200 })),
    ),
  ])
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
})

test('Options that mean nothing stop the start', async () => {
  for (const [given, message] of [
    [{ db: replica }, 'replica.when: must be a function'],
    [{ db: replica, when: () => true, wait: -1 }, 'replica.wait: must be a number of milliseconds'],
    [{ db: replica, when: () => true, cookie: true }, 'replica.cookie: must be true or false, beside wait'],
    [{ db: replica, when: () => true, waits: 1 }, "replica: there is no 'waits'"],
    [{ when: () => true }, 'replica.db: must be a Kysely instance'],
  ] as const) {
    const app = Fastify()
    await expect(
      async () => await app.register(crudPlugin, { db, resources, replica: given as never }),
    ).rejects.toThrow(message)
  }
})
