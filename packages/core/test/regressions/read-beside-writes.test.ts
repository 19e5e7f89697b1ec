import { createStore, createTables, defineResources, keepStatements, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import SqliteDriver from 'better-sqlite3'
import { type Dialect, Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { statementLog } from '../../../../test/support/statement-log.ts'

type Tables = Record<string, Record<string, unknown>>

const resources = defineResources({
  person: { fields: { name: Type.String() }, relations: { pets: owns.many('pet') } },
  pet: { fields: { name: Type.String() }, relations: { owner: ownedBy('person') } },
})

function keptDialect({ name, location }: OpenDatabase): Dialect {
  if (name === 'sqlite') return new SqliteDialect({ database: keepStatements(new SqliteDriver(location)) })
  return new PostgresDialect({ pool: keepStatements(new pg.Pool({ connectionString: location, max: 3 })) })
}

describeOnDatabases('reads beside writes, on a driver whose statements are kept', (database) => {
  let open: OpenDatabase
  let db: Kysely<Tables>

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
  })
  beforeEach(async () => {
    await open.empty()
    db = new Kysely({ dialect: keptDialect(open) })
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
    await new Promise((resolve) => setTimeout(resolve, 50))
    // PostgreSQL has another connection that sees the former name; SQLite's only one is taken.
    expect(names).toEqual(database.name === 'sqlite' ? [] : ['before', 'before'])
    seen.resolve()
    await Promise.allSettled([transaction, found, listed])
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

  test('go on while the application streams rows', async () => {
    const people = createStore({ db, resources }).resource('person')
    const ids: number[] = []
    for (const name of ['a', 'b', 'c']) ids.push((await people.create({ name, pets: [{ name }] })).id)
    for (const id of ids) await people.find(id)
    const streamed: unknown[] = []
    // better-sqlite3 takes no size of a chunk, PostgreSQL without a cursor has no streams.
    const rows = database.name === 'sqlite' ? db.selectFrom('person').select('name').orderBy('id').stream() : []
    for await (const row of rows) {
      streamed.push(row)
      expect(await people.find(ids[0] as number)).toMatchObject({ name: 'a', pets: [{ name: 'a' }] })
      expect((await people.list()).count).toBe(3)
    }
    if (database.name === 'sqlite') expect(streamed).toEqual([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    await db.destroy()
  })

  test('are in the log of the application, every one', async () => {
    const log = statementLog()
    const logged = new Kysely<Tables>({ dialect: keptDialect(open), log: log.logger })
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
    await expect(people.find(id)).rejects.toThrow()
    await expect(people.list()).rejects.toThrow()
  })
})
