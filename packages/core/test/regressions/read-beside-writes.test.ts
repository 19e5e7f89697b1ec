import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStore, defineResources, keepStatements, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import SqliteDriver from 'better-sqlite3'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteDialect,
} from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { driverOver } from '../../../../test/support/driver-over.ts'
import { keptDialect } from '../../../../test/support/kept-dialect.ts'
import { statementLog } from '../../../../test/support/statement-log.ts'

type Tables = Record<string, Record<string, unknown>>

const resources = defineResources({
  person: { fields: { name: Type.String() }, relations: { pets: owns.many('pet') } },
  pet: { fields: { name: Type.String() }, relations: { owner: ownedBy('person') } },
})

const [sqlite] = databases as readonly [TestDatabase]

describeOnDatabases('reads beside writes, on a driver whose statements are kept', (database) => {
  let open: OpenDatabase
  let db: Kysely<Tables>

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
  })
  beforeEach(async () => {
    await open.empty()
    db = new Kysely({ dialect: keptDialect(open, { direct: true }) })
  })
  afterAll(() => open.close())

  test.each(['commits', 'rolls back'])('see nothing of a transaction of the application until it %s', async (end) => {
    const people = createStore({ db, resources }).resource('person')
    const { id } = await people.create({ name: 'before' })
    expect(await people.find(id)).toMatchObject({ name: 'before' })
    const changed = Promise.withResolvers<void>()
    const seen = Promise.withResolvers<void>()
    const transaction = db.transaction().execute(async (trx) => {
      await trx.updateTable('person').set({ name: 'after' }).where('id', '=', id).execute()
      const own = createStore({ db: trx, resources }).resource('person')
      expect(await own.find(id)).toMatchObject({ name: 'after' })
      changed.resolve()
      await seen.promise
      if (end === 'rolls back') throw new Error('rolled back')
    })
    transaction.catch(() => {})
    await changed.promise
    const names: string[] = []
    const found = people.find(id).then(({ name }) => names.push(name))
    const listed = people.list().then(({ rows }) => names.push(rows[0]?.name as string))
    try {
      // PostgreSQL has another connection that sees the former name; SQLite's only one is taken.
      if (database.name === 'postgres') await Promise.all([found, listed])
      else await new Promise((resolve) => setTimeout(resolve, 50))
      expect(names).toEqual(database.name === 'sqlite' ? [] : ['before', 'before'])
    } finally {
      seen.resolve()
      await Promise.allSettled([transaction, found, listed])
    }
    const name = end === 'commits' ? 'after' : 'before'
    if (database.name === 'sqlite') expect(names).toEqual([name, name])
    expect(await people.find(id)).toMatchObject({ name })
    await db.destroy()
  })

  test('see a record as it is before or after a write', async () => {
    const people = createStore({ db, resources }).resource('person')
    const tagged = (tag: number) => ({ name: `${tag}`, pets: [{ name: `${tag}` }, { name: `${tag}` }] })
    const { id } = await people.create(tagged(0))
    let isDone = false
    let reads = 0
    const read = async () => {
      while (!isDone) {
        const { name, pets } = await people.find(id)
        expect(pets.map((pet) => pet.name)).toEqual([name, name])
        reads += 1
        await new Promise(setImmediate)
      }
    }
    const write = async () => {
      for (let tag = 1; tag <= 100; tag++) await people.replace(id, tagged(tag))
      isDone = true
    }
    await Promise.all([read(), read(), read(), write()])
    expect(reads).toBeGreaterThan(0)
    expect(await people.find(id)).toMatchObject({ name: '100' })
    await db.destroy()
  })

  test('are in the log of the application, every one', async () => {
    const log = statementLog()
    const logged = new Kysely<Tables>({ dialect: keptDialect(open, { direct: true }), log: log.logger })
    const people = createStore({ db: logged, resources }).resource('person')
    const { id } = await people.create({ name: 'a' })
    const statements = await log.record(async () => {
      for (let n = 0; n < 5; n++) await people.find(id)
    })
    expect(statements.filter((statement) => statement.includes('"person"'))).toHaveLength(5)
    await logged.destroy()
    await db.destroy()
  })

  test('are refused when the database is closed', async () => {
    const people = createStore({ db, resources }).resource('person')
    const { id } = await people.create({ name: 'a' })
    for (let n = 0; n < 5; n++) await people.find(id)
    await db.destroy()
    // The first is what better-sqlite3 says, the second is Kysely's.
    const words =
      database.name === 'sqlite' ? 'The database connection is not open' : 'driver has already been destroyed'
    await expect(people.find(id)).rejects.toThrow(words)
    await expect(people.list()).rejects.toThrow(words)
  })
})

/** What an application may put around Kysely's connections, for telemetry say. */
class WatchedDialect extends SqliteDialect {
  readonly seen: string[] = []

  override createDriver(): Driver {
    const driver = super.createDriver()
    const { seen } = this
    class WatchedConnection implements DatabaseConnection {
      readonly #connection: DatabaseConnection

      constructor(connection: DatabaseConnection) {
        this.#connection = connection
      }

      executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
        seen.push(query.sql)
        return this.#connection.executeQuery(query)
      }

      streamQuery<Row>(query: CompiledQuery, size: number): AsyncIterableIterator<QueryResult<Row>> {
        return this.#connection.streamQuery(query, size)
      }
    }
    const acquire = driver.acquireConnection.bind(driver)
    driver.acquireConnection = async () => new WatchedConnection(await acquire())
    return driver
  }
}

describe('a SQLite database whose statements are kept', () => {
  test('is not read by `direct` as of an earlier moment, of which the application still reads rows', async () => {
    const open = await sqlite.open()
    await createTables(open.db, resources)
    const db = new Kysely<Tables>({ dialect: keptDialect(open, { direct: true }) })
    const people = createStore({ db, resources }).resource('person')
    const { id } = await people.create({ name: 'a' })
    for (const name of ['b', 'c']) await people.create({ name })
    for (let n = 0; n < 5; n++) await people.find(id)
    const elsewhere = createStore({ db: open.db, resources }).resource('person')
    const streamed: unknown[] = []
    let found: Promise<unknown> | undefined
    for await (const row of db.selectFrom('person').select('name').orderBy('id').stream()) {
      streamed.push(row)
      if (found !== undefined) continue
      await elsewhere.patch(id, { name: 'new' })
      found = people.find(id)
    }
    expect(streamed).toEqual([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    expect(await found).toMatchObject({ name: 'new' })
    await db.destroy()
    await open.close()
  })

  test('is read by way of Kysely unless `direct` says otherwise', async () => {
    const open = await sqlite.open()
    await createTables(open.db, resources)
    const dialect = new WatchedDialect({ database: keepStatements(new SqliteDriver(open.location)) })
    const db = new Kysely<Tables>({ dialect })
    const people = createStore({ db, resources }).resource('person')
    const { id } = await people.create({ name: 'a' })
    dialect.seen.length = 0
    for (let n = 0; n < 5; n++) await people.find(id)
    expect(dialect.seen.filter((statement) => statement.includes('"person"'))).toHaveLength(5)
    await db.destroy()
    await open.close()
  })

  test.each<[string, (statement: SqliteDriver.Statement) => object]>([
    ['gives whole rows even so', (statement) => ({ pluck: () => {}, get: (given: unknown[]) => statement.get(given) })],
    ['does not know `pluck`', (statement) => ({ get: (given: unknown[]) => statement.get(given) })],
    ['gives all rows only', () => ({})],
  ])('is read by `direct` though its driver %s', async (_, reads) => {
    const database = new SqliteDriver(':memory:')
    const driver = driverOver(database, reads)
    const db = new Kysely<Tables>({
      dialect: new SqliteDialect({ database: keepStatements(driver, { direct: true }) }),
    })
    await createTables(db, resources)
    const people = createStore({ db, resources }).resource('person')
    const { id } = await people.create({ name: 'a', pets: [{ name: 'b' }] })
    for (let n = 0; n < 5; n++) {
      expect(await people.find(id)).toEqual({ id, name: 'a', pets: [{ id: 1, name: 'b' }] })
      expect(await people.list()).toMatchObject({ count: 1, rows: [{ name: 'a' }] })
      await expect(people.find(id + 1)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
    }
    await db.destroy()
  })

  test('is used by `direct` though the application has put its own methods around statements, which take arrays', async () => {
    const database = new SqliteDriver(':memory:')
    const given: unknown[] = []
    const observed = (statement: SqliteDriver.Statement) =>
      new Proxy(statement, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name)
          if (typeof value !== 'function') return value
          const method = value.bind(target)
          if (name !== 'all' && name !== 'run') return method
          return (values: readonly unknown[]) => {
            given.push(values)
            return method(values)
          }
        },
      })
    const driver = Object.create(database, { prepare: { value: (sql: string) => observed(database.prepare(sql)) } })
    driver.close = () => database.close()
    Object.defineProperty(driver, 'inTransaction', { get: () => database.inTransaction })
    const dialect = new SqliteDialect({ database: keepStatements(driver, { direct: true }) })
    const db = new Kysely<Tables>({ dialect })
    await createTables(db, resources)
    const people = createStore({ db, resources }).resource('person')
    for (let n = 0; n < 5; n++) {
      const { id, pets } = await people.create({ name: 'a', pets: [{ name: 'b' }, { name: 'c' }] })
      const changed = { id, name: 'd', pets: [{ id: pets[1]?.id as number, name: 'e' }] }
      expect(await people.replace(id, changed)).toEqual(changed)
      expect(await people.find(id)).toEqual(changed)
      await people.delete(id)
    }
    expect(given.every((values) => Array.isArray(values))).toBe(true)
    expect(given.length).toBeGreaterThan(20)
    await db.destroy()
  })

  test('is read by `direct` once another connection is done that keeps readers out', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fastify-crud-'))
    const file = join(folder, 'app.sqlite')
    const database = keepStatements(new SqliteDriver(file, { timeout: 0 }), { direct: true })
    const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) })
    await createTables(db, resources)
    const other = new SqliteDriver(file)
    const people = createStore({ db, resources }).resource('person')
    const { id } = await people.create({ name: 'a' })
    for (let n = 0; n < 5; n++) await people.find(id)
    other.exec(`begin exclusive; update person set name = 'b'`)
    const found = people.find(id)
    const listed = people.list()
    await new Promise((resolve) => setTimeout(resolve, 20))
    other.exec('commit')
    expect(await found).toMatchObject({ name: 'b' })
    expect(await listed).toMatchObject({ rows: [{ name: 'b' }] })
    other.close()
    await db.destroy()
    await rm(folder, { recursive: true })
  })

  test('is not waited for once more by Kysely when `direct` has waited long enough', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fastify-crud-'))
    const file = join(folder, 'app.sqlite')
    const database = new SqliteDriver(file, { timeout: 0 })
    const start = performance.now()
    const now = vi.spyOn(performance, 'now')
    let waited = 0
    now.mockImplementation(() => start + waited)
    let reads = 0
    let isLocked = false
    const read = <Result>(result: () => Result): Result => {
      reads += 1
      // As one whose `timeout` is longer.
      if (isLocked) waited += 6_000
      return result()
    }
    const driver = driverOver(database, (statement) => ({
      all: (given: unknown[]) => read(() => statement.all(given)),
      get: (given: unknown[]) => read(() => statement.get(given)),
    }))
    const db = new Kysely<Tables>({
      dialect: new SqliteDialect({ database: keepStatements(driver, { direct: true }) }),
    })
    await createTables(db, resources)
    const people = createStore({ db, resources }).resource('person')
    const { id } = await people.create({ name: 'a' })
    for (let n = 0; n < 5; n++) await people.find(id)
    const other = new SqliteDriver(file)
    other.exec('begin exclusive')
    isLocked = true
    reads = 0
    await expect(people.find(id)).rejects.toMatchObject({ code: 'CRUD_ERR_BUSY' })
    expect(reads).toBe(1)
    now.mockRestore()
    other.close()
    await db.destroy()
    await rm(folder, { recursive: true })
  })

  test('is not touched before the first statement', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fastify-crud-'))
    const file = join(folder, 'no.sqlite')
    await writeFile(file, 'this is no database, but may be one by the time it is used')
    const database = new SqliteDriver(file)
    const prepare = vi.spyOn(database, 'prepare')
    const kept = keepStatements(database, { direct: true })
    expect(prepare).not.toHaveBeenCalled()
    expect(() => kept.prepare('select 1')).toThrow(/not a database/)
    database.close()
    await rm(folder, { recursive: true })
  })
})
