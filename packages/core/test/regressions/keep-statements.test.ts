import { createStore, defineResources, keepStatements, knows, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import SqliteDriver from 'better-sqlite3'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { keptDialect } from '../../../../test/support/kept-dialect.ts'

type Tables = Record<string, Record<string, unknown>>

const resources = defineResources({
  person: {
    fields: { name: Type.String() },
    relations: { pets: owns.many('pet'), friend: knows.one('person') },
    unique: [['name']],
  },
  pet: { fields: { name: Type.String() }, relations: { owner: ownedBy('person') } },
})

describeOnDatabases('a driver whose statements are kept', (database) => {
  let open: OpenDatabase
  let db: Kysely<Tables>

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
    db = new Kysely({ dialect: keptDialect(open) })
  })
  beforeEach(() => open.empty())
  afterAll(async () => {
    await db.destroy()
    await open.close()
  })

  test('gives the same results however often a request comes', async () => {
    const people = createStore({ db, resources }).resource('person')
    for (let n = 0; n < 10; n++) {
      const created = await people.create({ name: `p${n}`, pets: [{ name: 'a' }, { name: 'b' }] })
      const [a] = created.pets
      expect(await people.find(created.id)).toEqual(created)
      const replaced = await people.replace(created.id, {
        name: `q${n}`,
        friendId: created.id,
        pets: [{ id: a?.id as number, name: `a${n}` }, { name: 'c' }],
      })
      expect(replaced).toMatchObject({
        name: `q${n}`,
        friend: { name: `q${n}` },
        pets: [{ name: `a${n}` }, { name: 'c' }],
      })
      expect(await people.patch(created.id, { friendId: null })).toEqual({ ...replaced, friendId: null, friend: null })
      await expect(people.create({ name: `q${n}` })).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_UNIQUE' })
      await expect(people.find(999_999 + n)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
      expect((await people.list()).count).toBe(1)
      await people.delete(created.id)
    }
  })

  test('gives each of many requests at the same time its own results', async () => {
    const people = createStore({ db, resources }).resource('person')
    const names = Array.from({ length: 10 }, (_, n) => `p${n}`)
    const created = await Promise.all(names.map((name) => people.create({ name, pets: [{ name: `${name}'s` }] })))
    for (let round = 0; round < 3; round++) {
      expect(await Promise.all(created.map(({ id }) => people.find(id)))).toEqual(created)
    }
    const patched = await Promise.all(created.map(({ id, name }) => people.patch(id, { name: `${name}!` })))
    expect(patched.map(({ name }) => name)).toEqual(names.map((name) => `${name}!`))
    await Promise.all(created.map(({ id }) => people.delete(id)))
    expect(await people.list()).toEqual({ rows: [], count: 0 })
  })

  test('gives queries of the application their results, with and without parameters', async () => {
    await db
      .insertInto('person')
      .values([{ name: 'a' }, { name: 'b' }])
      .execute()
    for (let n = 0; n < 10; n++) {
      const name = n % 2 === 0 ? 'a' : 'b'
      const found = await db.selectFrom('person').select('name').where('name', '=', name).execute()
      expect(found).toEqual([{ name }])
      const updated = await db.updateTable('person').set({ name }).where('name', '=', name).executeTakeFirst()
      expect(updated.numUpdatedRows).toBe(1n)
      expect(await db.selectFrom('person').select('name').orderBy('name').execute()).toHaveLength(2)
      await expect(sql`select ${name} from nowhere`.execute(db)).rejects.toThrow(/nowhere/)
    }
  })

  test('gives columns that were added since', async () => {
    await db.insertInto('person').values({ name: 'a' }).execute()
    const all = () => db.selectFrom('person').selectAll().where('friendId', 'is', null).execute()
    for (let n = 0; n < 5; n++) expect(await all()).toHaveLength(1)
    await sql`alter table person add column age integer default 7`.execute(db)
    try {
      for (let n = 0; n < 5; n++) expect(await all()).toMatchObject([{ name: 'a', age: 7 }])
    } finally {
      await sql`alter table person drop column age`.execute(db)
    }
  })
})

const [sqlite, postgres] = databases as readonly [TestDatabase, TestDatabase]

describe('statements that are kept (sqlite)', () => {
  test('can be streamed several times at once, while others run', async () => {
    const open = await sqlite.open()
    await createTables(open.db, resources)
    const db = new Kysely<Tables>({ dialect: keptDialect(open) })
    const names = Array.from({ length: 20 }, (_, n) => `p${String(n).padStart(2, '0')}`)
    await db
      .insertInto('person')
      .values(names.map((name) => ({ name })))
      .execute()
    const query = db.selectFrom('person').select('name').where('name', '>=', 'p').orderBy('name')
    for (let round = 0; round < 5; round++) {
      const streamed: unknown[] = []
      const count = db.selectFrom('person').select(sql<number>`count(*)`.as('count')).where('name', '>=', 'p')
      const others = Array.from({ length: 5 }, () => [query.execute(), count.execute()])
      for await (const { name } of query.stream()) streamed.push(name)
      expect(streamed).toEqual(names)
      for (const [all, counted] of others) {
        expect(await all).toHaveLength(20)
        expect(await counted).toEqual([{ count: 20 }])
      }
    }
    const database = keepStatements(new SqliteDriver(open.location))
    const text = 'select name from person where name >= ? order by name'
    for (let round = 0; round < 5; round++) {
      const outer = database.prepare(text).iterate(['p'])
      expect(outer.next().value).toEqual({ name: 'p00' })
      expect(database.prepare(text).all(['p19'])).toEqual([{ name: 'p19' }])
      const inner = database.prepare(text).iterate(['p10'])
      expect([inner.next().value, outer.next().value]).toEqual([{ name: 'p10' }, { name: 'p01' }])
      expect([...outer]).toHaveLength(18)
      expect([...inner]).toHaveLength(9)
    }
    database.close()
    await db.destroy()
    await open.close()
  })
})

describe('statements that are kept (postgres)', () => {
  test('have no others in the way, on a pool that is wrapped twice', async () => {
    const open = await postgres.open()
    await createTables(open.db, resources)
    const pool = new pg.Pool({ connectionString: open.location, max: 1 })
    const [first, second] = [keepStatements(pool), keepStatements(keepStatements(pool))].map(
      (kept) => new Kysely<Tables>({ dialect: new PostgresDialect({ pool: kept }) }),
    ) as [Kysely<Tables>, Kysely<Tables>]
    for (let n = 0; n < 10; n++) {
      for (const [index, db] of [first, second].entries()) {
        const name = `p${n}.${index}`
        const people = createStore({ db, resources }).resource('person')
        const created = await people.create({ name, pets: [{ name: 'a' }] })
        expect(await people.find(created.id)).toEqual(created)
        // Different statements in a different order: a name that is counted would be another one's.
        if (index === 1) await db.selectFrom('pet').select('id').where('name', '=', `${n}`).execute()
        expect(await db.selectFrom('person').select('name').where('name', '=', name).execute()).toEqual([{ name }])
      }
    }
    await pool.end()
    await open.close()
  })

  test('read every kind of value as the driver itself does', async () => {
    const open = await postgres.open()
    const values = sql<
      Record<string, unknown>
    >`select ${'text'}::text as a, ${7}::int as b, ${'9007199254740993'}::bigint as c,
      ${1.5}::float8 as d, ${true}::boolean as e, ${null}::text as f, ${'{"a":[1]}'}::jsonb as g, ${'2026-11-21T01:02:03Z'}::timestamptz as h,
      ${'{1,2}'}::int[] as i, ${'1.50'}::numeric as j, ${5n}::bigint as k, ${'x'}::text as "a b", ${'last'}::text as a`
    const dated = sql`select ${new Date(0)}::timestamptz as a, ${[1, 2]}::int[] as b, ${Buffer.from('x')}::bytea as c, ${{ a: 1 }}::jsonb as d`
    const plain = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: open.location, max: 1 }) }),
    })
    const kept = new Kysely<Tables>({ dialect: keptDialect(open) })
    for (const query of [values, dated]) {
      const expected = (await query.execute(plain)).rows
      for (let n = 0; n < 5; n++) expect((await query.execute(kept)).rows).toEqual(expected)
    }
    await plain.destroy()
    await kept.destroy()
    await open.close()
  })

  test.each([{ pipeline: false }, { pipeline: true }])(
    'are prepared anew when the server has forgotten them, and after errors (pipeline: $pipeline)',
    async ({ pipeline }) => {
      const open = await postgres.open()
      await createTables(open.db, resources)
      const pool = new pg.Pool({ connectionString: open.location, max: 1, pipeline })
      const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: keepStatements(pool) }) })
      const people = createStore({ db, resources }).resource('person')
      const count = (text: string) => sql<{ n: number }>`select ${text}::int as n`.execute(db)
      // A value that the driver has rules of its own for.
      const first = (values: number[]) => sql<{ n: number }>`select (${values}::int[])[1] as n`.execute(db)
      for (let n = 0; n < 5; n++) {
        const { id } = await people.create({ name: `p${n}` })
        expect(await people.patch(id, { name: `q${n}` })).toMatchObject({ name: `q${n}` })
        await expect(count('no number')).rejects.toThrow(/no number/)
        expect((await count(`${n}`)).rows).toEqual([{ n }])
        expect((await first([n])).rows).toEqual([{ n }])
      }
      for (let n = 0; n < 3; n++) {
        await sql`deallocate all`.execute(db)
        await expect(count('1')).rejects.toThrow(/does not exist/)
        expect((await count('1')).rows).toEqual([{ n: 1 }])
      }
      // Without a pipeline these two are prepared by different hands, and each finds out for itself.
      await first([1]).catch(() => undefined)
      for (let n = 0; n < 3; n++) {
        await first([1])
        await sql`deallocate all`.execute(db)
        await expect(first([1])).rejects.toThrow(/does not exist/)
        expect((await first([1])).rows).toEqual([{ n: 1 }])
      }
      await sql`deallocate all`.execute(db)
      const { id } = await people.create({ name: 'r', pets: [{ name: 'a' }] })
      expect(await people.patch(id, { name: 's' })).toMatchObject({ name: 's', pets: [{ name: 'a' }] })
      await sql`deallocate all`.execute(db)
      await people.delete(id)
      await pool.end()
      await open.close()
    },
  )

  test("an error of an application's query leads to who sent it", async () => {
    const open = await postgres.open()
    const db = new Kysely<Tables>({ dialect: keptDialect(open) })
    async function whoSentIt() {
      await sql`select ${'x'}::int`.execute(db)
    }
    for (let n = 0; n < 5; n++) {
      const error: unknown = await whoSentIt().catch((thrown) => thrown)
      expect((error as Error).stack).toContain('whoSentIt')
    }
    await db.destroy()
    await open.close()
  })

  test('are sent one by one on a pool with `pipeline`, with the same results', async () => {
    const open = await postgres.open()
    await createTables(open.db, resources)
    const pool = new pg.Pool({ connectionString: open.location, max: 1, pipeline: true })
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: keepStatements(pool) }) })
    const people = createStore({ db, resources }).resource('person')
    for (let n = 0; n < 5; n++) {
      const created = await people.create({ name: `p${n}`, pets: [{ name: 'a' }] })
      expect(await people.patch(created.id, { pets: [{ name: 'b' }] })).toMatchObject({
        pets: [{ name: 'a' }, { name: 'b' }],
      })
      await expect(people.create({ name: `p${n}` })).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_UNIQUE' })
      await people.delete(created.id)
    }
    await pool.end()
    await open.close()
  })

  test("an application's write that only its commit refuses is refused, as by the driver itself", async () => {
    const open = await postgres.open()
    await sql`create table a (id int primary key)`.execute(open.db)
    await sql`create table b (a int references a deferrable initially deferred)`.execute(open.db)
    const db = new Kysely<Tables>({ dialect: keptDialect(open) })
    for (let n = 0; n < 5; n++) {
      await expect(sql`insert into b values (${n}::int)`.execute(db)).rejects.toMatchObject({ code: '23503' })
    }
    expect((await sql`select 1 from b`.execute(db)).rows).toEqual([])
    await db.destroy()
    await open.close()
  })

  test('a connection that the driver waited for long enough is not used again', async () => {
    const open = await postgres.open()
    await createTables(open.db, resources)
    const pool = new pg.Pool({ connectionString: open.location, max: 1, query_timeout: 300 })
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: keepStatements(pool) }) })
    const people = createStore({ db, resources }).resource('person')
    const { id } = await people.create({ name: 'a' })
    const other = new pg.Client(open.location)
    await other.connect()
    await other.query(`begin; insert into person (name) values ('b'); select 1 from person where id = ${id} for update`)
    // One waits to know whether the name is free, the other for the lock.
    await expect(people.create({ name: 'b' })).rejects.toMatchObject({ code: 'CRUD_ERR_OUTCOME_UNKNOWN' })
    await expect(people.patch(id, { name: 'c' })).rejects.toMatchObject({ code: 'CRUD_ERR_OUTCOME_UNKNOWN' })
    await other.query(`update person set name = 'd' where id = ${id}; commit`)
    await other.end()
    expect((await people.find(id)).id).toBe(id)
    expect((await people.patch(id, { name: 'e' })).name).toBe('e')
    await db.destroy()
    await open.close()
  })

  test('an error is told of the statement that failed, and those behind it say that they were not done', async () => {
    const open = await postgres.open()
    await createTables(open.db, resources)
    const errors: string[] = []
    const db = new Kysely<Tables>({
      dialect: keptDialect(open),
      log: (event) => {
        if (event.level === 'error') errors.push(`${event.query.sql.slice(0, 6)}: ${(event.error as Error).message}`)
      },
    })
    const people = createStore({ db, resources }).resource('person')
    const { id } = await people.create({ name: 'a' })
    await sql`alter table person add constraint short check (length(name) < 5)`.execute(db)
    await expect(people.patch(id, { name: 'too long' })).rejects.toMatchObject({ code: 'CRUD_ERR_REFUSED' })
    expect(errors.filter((one) => /short/.test(one)).every((one) => /^(with|update)/.test(one))).toBe(true)
    expect(errors).toContain('commit: not run, because an earlier statement failed')
    await db.destroy()
    await open.close()
  })
})
