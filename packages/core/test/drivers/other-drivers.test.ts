import { createStore, defineResources } from '@fastify-crud/core'
import { checkTables, createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { Kysely, sql } from 'kysely'
import { PostgresJSDialect } from 'kysely-postgres-js'
import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { otherDrivers } from '../../../../test/support/other-drivers.ts'
import { authorsIn, library, liveThrough, type Tables } from './library.ts'

const entries = defineResources({
  entry: {
    fields: {
      data: Type.Any(),
      on: Type.Optional(Type.String({ format: 'date' })),
      at: Type.Optional(Type.String({ format: 'date-time' })),
      big: Type.Optional(Type.Integer()),
      isNew: Type.Optional(Type.Boolean()),
    },
  },
})

describe.each(otherDrivers)('the store on $title', (database) => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, library)
    await createTables(open.db, entries)
  })
  beforeEach(() => open.empty())
  afterAll(() => open.close())

  test('finds nothing wrong with the tables that it has made', async () => {
    expect(await checkTables(open.db, library)).toEqual([])
    expect(await checkTables(open.db, entries)).toEqual([])
  })

  test('lives through the whole life of a record, again and again', async () => {
    for (let n = 0; n < 5; n++) await liveThrough(open.db, 'a')
    await Promise.all([0, 1, 2, 3].map((n) => liveThrough(open.db, `p${n}`)))
  })

  test('is part of the transaction of a caller, and of nothing once that is rolled back', async () => {
    const transaction = open.db.transaction().execute(async (trx) => {
      await liveThrough(trx, 'a')
      await authorsIn(trx).create({ name: 'b' })
      expect((await authorsIn(trx).list()).count).toBe(1)
      throw new Error('undo all of it')
    })
    await expect(transaction).rejects.toThrow('undo all of it')
    expect((await authorsIn(open.db).list()).count).toBe(0)
  })

  test.each([
    { data: { a: [1, 'x', null], b: { c: true } } },
    { data: [] },
    { data: 'text' },
    { data: '"quoted"' },
    { data: '{"a":1}' },
    { data: 7 },
    { data: false },
  ])('stores JSON as it is: $data', async ({ data }) => {
    const store = createStore({ db: open.db, resources: entries }).resource('entry')
    const { id } = await store.create({ data })
    expect((await store.find(id)).data).toEqual(data)
    await store.patch(id, { data: [data] })
    expect((await store.find(id)).data).toEqual([data])
    expect((await store.replace(id, { data, big: 2 ** 50, isNew: true, on: '2026-11-23' })).data).toEqual(data)
    expect(await store.find(id)).toMatchObject({ big: 2 ** 50, isNew: true, on: '2026-11-23' })
  })

  test('reports a constraint that only the database knows, with its place', async () => {
    await sql`alter table book add constraint short check (length(title) < 5)`.execute(open.db)
    try {
      const books = [{ title: 'a' }, { title: 'too long' }]
      await expect(authorsIn(open.db).create({ name: 'a', books })).rejects.toMatchObject({
        code: 'CRUD_ERR_REFUSED',
        errors: [{ pointer: '/books/1' }],
      })
      expect((await authorsIn(open.db).list()).count).toBe(0)
    } finally {
      await sql`alter table book drop constraint short`.execute(open.db)
    }
  })
})

const server = databases.find(({ name }) => name === 'postgres') as TestDatabase

describe('the store on postgres.js', () => {
  let open: OpenDatabase
  beforeAll(async () => {
    open = await server.open()
    await createTables(open.db, library)
    await createTables(open.db, entries)
  })
  afterAll(() => open.close())

  test('keeps every digit of a time, if the driver leaves dates as text', async () => {
    const text = {
      to: 25,
      from: [1082, 1114, 1184],
      serialize: String,
      parse: String,
    }
    const options = { max: 1, types: { date: text } }
    const db = new Kysely<Tables>({ dialect: new PostgresJSDialect({ postgres: postgres(open.location, options) }) })
    const store = createStore({ db, resources: entries }).resource('entry')
    const { id } = await store.create({ data: 1, at: '2026-11-23T01:02:03.123456Z' })
    const { at } = await store.find(id)
    expect(at).toMatch(/\.123456/)
    await db.destroy()
  })

  test('writes on another connection where the server has ended the one before', async () => {
    let noteClosed = () => {}
    const options = { max: 1, connection: { application_name: 'ended' }, onclose: () => noteClosed() }
    const db = new Kysely<Tables>({ dialect: new PostgresJSDialect({ postgres: postgres(open.location, options) }) })
    for (let n = 0; n < 3; n++) {
      const { id } = await authorsIn(db).create({ name: `a${n}` })
      const isClosed = new Promise<void>((resolve) => {
        noteClosed = resolve
      })
      await sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity
        where application_name = 'ended' and datname = current_database()`.execute(open.db)
      // postgres.js throws outside of any promise if it is about to write while the connection closes.
      await isClosed
      expect((await authorsIn(db).patch(id, { born: n })).born).toBe(n)
      expect((await authorsIn(db).find(id)).born).toBe(n)
    }
    await db.destroy()
  })
})
