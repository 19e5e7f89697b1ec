import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import { createTables, crudPlugin, defineResources, maxOf, ownedBy, owns } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isLong } from '../../../../test/support/is-long.ts'
import { type PostgresDatabase, takePostgresDatabase } from '../../../../test/support/postgres-database.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'
import { type TransactionPooler, transactionPooler } from '../../../../test/support/transaction-pooler.ts'

const resources = defineResources({
  trip: {
    fields: {
      starts: Type.String({ format: 'date-time', index: true }),
      planned: Type.Optional(Type.String({ format: 'date-time' })),
      day: Type.String({ format: 'date' }),
      cost: Type.String({ format: 'decimal' }),
      takes: Type.Optional(Type.String({ format: 'duration' })),
      ticket: Type.Optional(Type.String({ contentEncoding: 'base64' })),
      info: Type.Optional(Type.Object({ 'a\\': Type.String() })),
    },
    columns: { info: 'in\\fo' },
    relations: { stops: owns.many('stop') },
    computed: { last: maxOf('stops', 'at') },
  },
  stop: { fields: { at: Type.String({ format: 'date-time' }) }, relations: { trip: ownedBy('trip') } },
})

/** Settings of the server that say how it reads and prints values, or how transactions begin. */
const SETTINGS = {
  none: '',
  'DateStyle German': "datestyle to 'German, DMY'",
  'DateStyle SQL': "datestyle to 'SQL, DMY'",
  'DateStyle Postgres': "datestyle to 'Postgres, MDY'",
  'IntervalStyle sql_standard': "intervalstyle to 'sql_standard'",
  'TimeZone Asia/Kolkata': "timezone to 'Asia/Kolkata'",
  'bytea_output escape': "bytea_output to 'escape'",
  'standard_conforming_strings off': 'standard_conforming_strings to off',
  'xmlbinary hex': "xmlbinary to 'hex'",
  'lc_numeric C': "lc_numeric to 'C'",
  'default_transaction_isolation serializable': "default_transaction_isolation to 'serializable'",
}

const WAYS = ['openPostgres', 'plain pool', 'pooler'] as const

/** All that a client sees of some requests. */
type Seen = readonly (readonly [request: string, status: number, body: unknown, etag: unknown])[]

async function use(app: FastifyInstance): Promise<Seen> {
  const seen: (readonly [string, number, unknown, unknown])[] = []
  const send = async (method: string, path: string, payload?: object, headers = {}) => {
    const answer = await app.inject({
      method: method as 'GET',
      url: `/api/trip${path}`,
      headers,
      ...(payload && { payload }),
    })
    const body = answer.payload === '' ? undefined : answer.json()
    seen.push([`${method} ${path}`, answer.statusCode, body, answer.headers.etag])
    return { body, etag: String(answer.headers.etag) }
  }
  const trip = {
    planned: null,
    day: '2026-03-04',
    cost: '1.50',
    takes: 'P1DT2H',
    ticket: 'AP9ceA==',
    info: { 'a\\': "b\\'" },
    stops: [],
  }
  await send('POST', '', {
    ...trip,
    starts: '2026-03-04T05:06:07.123456Z',
    stops: [{ at: '2026-03-05T00:00:00Z' }, { at: '2026-03-04T23:00:00-05:00' }],
  })
  await send('POST', '', { ...trip, starts: '2026-03-04T01:06:07.123Z', day: '2026-04-03', cost: '0.5' })
  await send('POST', '', {
    ...trip,
    starts: '2026-12-11T10:00:00+02:00',
    takes: 'P-1Y2M-3DT-4H5M-6.5S',
    planned: '2026-12-12T10:00:00Z',
    day: '2026-12-11',
    cost: '10',
  })
  for (const sort of ['starts', '-starts', 'planned', 'day', '-day', 'cost', 'takes', '-takes', 'last', 'info.a\\']) {
    const { body } = await send('GET', `?sort=${encodeURIComponent(sort)}&limit=2`)
    await send('GET', `?sort=${encodeURIComponent(sort)}&limit=2&after=${body.next}`)
  }
  const filters = [
    { starts: '2026-03-04T06:06:07.123456+01:00' },
    { starts: { lt: '2026-03-04T05:06:07Z' } },
    { starts: { in: ['2026-12-11T08:00:00Z'] } },
    { planned: { gte: '2026-12-12T10:00:00Z' } },
    { last: { gt: '2026-03-05T03:00:00Z' } },
    { stops: { some: { at: '2026-03-05T04:00:00Z' } } },
    { day: '2026-03-04' },
    { day: { gt: '2026-03-04' } },
    { day: { in: ['2026-12-11'] } },
    { cost: '1.5' },
    { takes: 'P1DT2H' },
    { takes: { lt: 'P1DT2H' } },
    { takes: { in: ['P1DT2H', 'P-1Y2M-3DT-4H5M-6.5S'] } },
    { 'info.a\\': "b\\'" },
  ]
  for (const filter of filters) await send('GET', `?filter=${encodeURIComponent(JSON.stringify(filter))}`)
  const { etag, body } = await send('GET', '/1')
  await send('PUT', '/1', body)
  await send('PATCH', '/1', { starts: '2026-03-04T05:06:07.123456Z' }, { 'if-match': etag })
  await send('PATCH', '/1', { starts: '2026-01-02T03:04:05Z', day: '2026-01-02' }, { 'if-match': etag })
  await send('PATCH', '/1', {
    stops: [{ at: '2026-05-06T07:08:09Z' }],
    ticket: 'XHgA',
    takes: 'PT-1.5S',
    info: { 'a\\': '\\' },
  })
  await send('PUT', '/2', { ...trip, starts: '2027-01-02T03:04:05Z' })
  await send('DELETE', '/3')
  await send('GET', '?sort=-starts')
  return seen
}

const TYPES = { 'columns of createTables': [], 'columns of their own types': ['starts', 'planned', 'at'] }

describe.each(Object.entries(TYPES))('PostgreSQL, %s', (_, moments) => {
  let database: PostgresDatabase
  let pooler: TransactionPooler | undefined
  let expected: Seen | undefined

  const run = async (statement: string): Promise<void> => {
    const client = new pg.Client(database.url)
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  const set = (what: string) =>
    run(`do $$ begin execute format($f$alter database %I ${what}$f$, current_database()); end $$`)

  beforeAll(async () => {
    database = await takePostgresDatabase()
    await tables()
  })
  afterAll(async () => {
    await set('reset all')
    await database.giveBack()
  })

  async function tables(): Promise<void> {
    const db = openPostgres(database.url, { warn: () => {} })
    await createTables(db, resources)
    await db.destroy()
    for (const name of moments) {
      const table = name === 'at' ? 'stop' : 'trip'
      const indexes = `do $$ declare one record; begin for one in select indexname from pg_indexes where tablename = '${table}' and indexdef like '%${name}%' loop execute format('drop index %I', one.indexname); end loop; end $$`
      await run(indexes)
      await run(`alter table ${table} alter ${name} type timestamptz using ${name}::timestamptz`)
    }
    if (moments.length > 0) {
      await run('alter table trip alter cost type numeric using cost::numeric')
      await run('alter table trip alter takes type interval using takes::interval')
    }
  }

  async function open(way: (typeof WAYS)[number]): Promise<TestKysely> {
    if (way === 'openPostgres') return openPostgres(database.url, { max: 2, warn: () => {} })
    if (way === 'plain pool')
      return new Kysely({
        dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: database.url, max: 2 }) }),
      })
    pooler = await transactionPooler(database.url, 3)
    const pool = new pg.Pool({ host: '127.0.0.1', port: pooler.port, user: 'x', database: 'x', max: 2 })
    pool.on('error', () => {})
    return new Kysely({ dialect: new PostgresDialect({ pool }) })
  }

  describe.each(Object.entries(SETTINGS))('%s', (_, setting) => {
    test.each(isLong || moments.length > 0 ? WAYS : ['openPostgres' as const])(
      '%s: clients see the same',
      async (way) => {
        if (setting !== '') await set(`set ${setting}`)
        const db = await open(way)
        const app = Fastify()
        await app.register(crudPlugin, { db, resources })
        try {
          const seen = await use(app)
          expected ??= seen
          for (const [index, one] of seen.entries()) expect(one).toEqual(expected[index])
          expect(seen.filter(([, status]) => status >= 400)).toEqual([])
          const found = seen.filter(([request]) => request.includes('filter='))
          expect(found.filter(([, , body]) => (body as { rows: unknown[] }).rows.length === 0)).toEqual([])
        } finally {
          await app.close()
          await db.destroy()
          await pooler?.close()
          pooler = undefined
          await set('reset all')
          await run('truncate stop, trip restart identity')
        }
      },
    )
  })
})
