import { setTimeout as pause } from 'node:timers/promises'
import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import { createStore, createTables, crudPlugin, defineResources, readChanges } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type PgBouncer, startPgBouncer } from '../../../../test/support/pgbouncer.ts'
import { type PostgresDatabase, takePostgresDatabase } from '../../../../test/support/postgres-database.ts'
import { type PostgresProxy, postgresProxy } from '../../../../test/support/postgres-proxy.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'
import { follow, type StreamEvent } from '../changes/support/follow.ts'

// Changes where the connections to PostgreSQL are not the service's own, and end now and then.

const resources = defineResources({ memo: { fields: { text: Type.String() }, history: true } })

let database: PostgresDatabase
let direct: TestKysely

beforeAll(async () => {
  database = await takePostgresDatabase()
  direct = openPostgres(database.url, { max: 4, warn: () => {} })
  await createTables(direct, resources)
})
beforeEach(async () => {
  await sql`truncate memo, crud_history, crud_history_records`.execute(direct)
})
afterAll(async () => {
  await direct.destroy()
  await database.giveBack()
})

const lastStored = async () => {
  const rows = await direct.selectFrom('crud_history').select('position').orderBy('position').execute()
  return rows.map(({ position }) => Number(position))
}

/** Connections, and what ends some or all of them. */
interface Surroundings {
  readonly db: TestKysely
  end(): Promise<unknown>
}

/** Writes by many at once, some of whom take their time or undo what they did, while connections end. */
async function writeMeanwhile({ db, end }: Surroundings): Promise<void> {
  const store = createStore({ db, resources })
  const write = async (round: number, index: number) => {
    const text = `${round} ${index}`
    if (index > 3) return await store.memo.create({ text })
    return await db.transaction().execute(async (trx) => {
      await store.in(trx).memo.create({ text })
      await pause(10 * index)
      if (index === 1) throw new Error('undone')
    })
  }
  for (let round = 0; round < 4; round += 1) {
    const writes = Promise.allSettled(Array.from({ length: 10 }, (_, index) => write(round, index)))
    if (round > 0) await end()
    await writes
  }
}

/** All changes from the beginning, by readers that go on where they were whenever they fail. */
async function readAll(db: TestKysely, isEnough: (got: readonly number[]) => boolean): Promise<readonly number[]> {
  const got: number[] = []
  const ends = new AbortController()
  const watching = (async () => {
    while (!isEnough(got)) await pause(5)
    ends.abort()
  })()
  while (!isEnough(got)) {
    const after = got.at(-1) ?? 0
    try {
      for await (const { position } of readChanges(db, resources, { after, poll: 5, signal: ends.signal })) {
        got.push(position)
      }
    } catch {
      await pause(5)
    }
  }
  await watching
  return got
}

/** All events up to a position, of a client that follows again whenever its stream ends. */
async function followAll(app: FastifyInstance, end: () => number): Promise<readonly StreamEvent[]> {
  const events: StreamEvent[] = []
  for (let last = 0; last < end(); ) {
    const stream = await follow(app, '/api/$changes', { 'last-event-id': String(last) })
    const isOver = stream.ended.then(() => true)
    const isThere = () => (stream.lastId() ?? 0) >= end()
    while (!isThere() && !(await Promise.race([isOver, pause(5, false)])));
    stream.close()
    events.push(...stream.events)
    last = stream.lastId() ?? last
  }
  return events
}

async function checkChanges(surroundings: Surroundings): Promise<void> {
  const app = Fastify()
  await app.register(crudPlugin, { db: surroundings.db, resources, changes: { poll: 5, heartbeat: 20 } })
  try {
    let end = Number.POSITIVE_INFINITY
    const reading = readAll(surroundings.db, (got) => (got.at(-1) ?? 0) >= end)
    const following = followAll(app, () => end)
    await writeMeanwhile(surroundings)
    const { id } = await createStore({ db: direct, resources }).memo.create({ text: 'end' })
    const stored = await lastStored()
    end = stored.at(-1) as number
    expect(await reading).toEqual(stored)
    const events = await following
    expect(events.map((one) => one.id)).toEqual(stored)
    expect(events.at(-1)?.data.changes[0]).toMatchObject({ action: 'Add', resource: 'memo', id })
    expect(stored.length).toBeGreaterThan(8)
  } finally {
    await app.close()
  }
}

describe('Changes behind PgBouncer, which gives each transaction any server', () => {
  let pgbouncer: PgBouncer
  let db: TestKysely
  beforeAll(async () => {
    pgbouncer = await startPgBouncer(database.url)
    db = openPostgres(pgbouncer.url, { pooler: true, max: 12, warn: () => {} })
  })
  afterAll(async () => {
    await db.destroy()
    await pgbouncer.stop()
  })

  test('come once each, in order, also while it loses its servers', async () => {
    const end = () =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = '' and pid <> pg_backend_pid()`.execute(direct)
    await checkChanges({ db, end })
  }, 60_000)
})

describe('Changes over connections that are cut', () => {
  let proxy: PostgresProxy
  let db: TestKysely
  beforeAll(async () => {
    proxy = await postgresProxy(database.url)
    const url = new URL(database.url)
    url.host = `127.0.0.1:${proxy.port}`
    db = openPostgres(url.href, { max: 12, warn: () => {} })
  })
  afterAll(async () => {
    await db.destroy()
    await proxy.close()
  })

  test('come once each, in order', () => checkChanges({ db, end: () => proxy.cut() }), 60_000)
})
