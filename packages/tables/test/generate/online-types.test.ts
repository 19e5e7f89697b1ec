import { createStore, defineResources, field, type Model } from '@fastify-crud/core'
import { openPostgres } from '@fastify-crud/core/postgres'
import { checkTables, createTables, generateMigrations } from '@fastify-crud/tables'
import { type TProperties, Type } from '@sinclair/typebox'
import { type Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openedSetups, type Setup } from '../../../../test/support/databases.ts'
import { keysOf } from './keys-of.ts'
import { Migrations } from './migrations.ts'
import { useMigrations } from './use-migrations.ts'

const postgres = openedSetups.find(({ name }) => name === 'postgres') as Setup
const text = Type.String({ maxLength: 50 })
const define = (fields: TProperties, more: object = {}) =>
  defineResources({ book: { fields: { title: text, ...fields }, ...more } } as never) as Model
const keys = { unique: [['pages'], ['title', 'rank']], index: [['pages', 'rank'], ['rank']] }
const before = define({ pages: Type.Integer(), rank: Type.Optional(Type.Integer()) }, keys)
const after = define({ pages: text, rank: Type.Optional(text) }, keys)

describe('a migration that changes types in a table of PostgreSQL that others use', () => {
  const { database, folder, isThere } = useMigrations(postgres)
  const log = vi.spyOn(console, 'log')
  let other: Kysely<unknown>
  beforeEach(() => {
    log.mockReset().mockImplementation(() => {})
    other = openPostgres(database().location, { max: 3, warn: () => {} }) as never
  })
  afterEach(() => other.destroy())

  const run = async (...statements: readonly string[]) => {
    for (const statement of statements) await sql.raw(statement).execute(other)
  }
  const select = async (query: string) => (await sql.raw<Record<string, unknown>>(query).execute(other)).rows

  /** A table that PostgreSQL takes for a large one. */
  async function withRows(count: number, model = before): Promise<void> {
    await createTables(database().db, model)
    await run(
      `insert into book (title, pages, rank) select 'Ink', n, nullif(n % 3, 0) * 100000 + n from generate_series(1, ${count}) as n`,
      `update pg_class set reltuples = 100001 where oid = 'book'::regclass`,
    )
  }

  async function generated(to: Model, options: object = {}) {
    const { files, byHand, unfilled } = await generateMigrations(database().db, to, options)
    expect({ byHand, unfilled }).toEqual({ byHand: [], unfilled: [] })
    return files
  }

  async function migrations(to: Model, options: object = {}): Promise<Migrations> {
    const files = await generated(to, options)
    expect(files.map(({ kind }) => kind)).toEqual(['ordinary', 'concurrently'])
    const made = await Migrations.in(database(), folder())
    await made.add(files)
    return made
  }

  /** Until another session waits for a lock, or no other one does. */
  async function until(waits: boolean): Promise<void> {
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    while ((await select(waiting)).length > 0 !== waits) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  /** No trigger, function, column or index of the migration's own is left. */
  async function leavesNothing(): Promise<void> {
    const left = `select relname as name from pg_class where relname like '%new_type%' union all
      select tgname from pg_trigger where not tgisinternal union all
      select proname from pg_proc where proname like '%new_type%' union all
      select attname from pg_attribute where attrelid = 'book'::regclass and attname like '%new_type%' and not attisdropped union all
      select conname from pg_constraint where conname like '%new_type%' and contype <> 'n'`
    expect(await select(left)).toEqual([])
  }

  test('gives a new column the values in portions, in which it holds no lock that others wait for', async () => {
    await withRows(12_000)
    const files = await generated(after)
    expect(files.flatMap(({ statements }) => statements).filter((one) => /ALTER COLUMN "\w+" TYPE/.test(one))).toEqual(
      [],
    )
    const made = await Migrations.in(database(), folder())
    await made.add(files.slice(0, 1))
    await made.up()
    await made.add(files.slice(1))
    // The version of the service before goes on between the files.
    await run(
      `insert into book (title, pages, rank) values ('Between', 20001, 7), ('Between', 20002, null)`,
      `update book set pages = 20003, rank = null where id = 1`,
    )
    const expected = `select id, title, pages::text as pages, rank::text as rank from book where id not in (2, 3) order by id`
    let isHeld: () => void = () => {}
    let letGo: () => void = () => {}
    const held = new Promise<void>((resolve) => {
      isHeld = resolve
    })
    const gone = new Promise<void>((resolve) => {
      letGo = resolve
    })
    // Somebody holds a row of the second portion.
    const holder = other.transaction().execute(async (transaction) => {
      await sql`select 1 from book where id = 7000 for update`.execute(transaction)
      isHeld()
      await gone
    })
    onTestFinished(() => letGo())
    await held
    const rows = await select(expected)
    const up = made.up()
    await until(true)
    const modes = await select(`select distinct mode from pg_locks
      where relation = 'book'::regclass and locktype = 'relation' and pid <> pg_backend_pid() order by 1`)
    expect(modes.map(({ mode }) => mode)).toEqual(['RowExclusiveLock', 'RowShareLock'])
    // It writes the column that it knows, in rows with and without a copy.
    await other.transaction().execute(async (transaction) => {
      await sql`set local lock_timeout = '100ms'`.execute(transaction)
      await sql`insert into book (title, pages) values ('Meanwhile', 30000)`.execute(transaction)
      await sql`update book set pages = pages + 40000 where id in (2, 11000)`.execute(transaction)
      await sql`delete from book where id = 3`.execute(transaction)
    })
    letGo()
    await Promise.all([up, holder])
    await isThere(after)
    const now = `select id, title, pages, rank from book where id not in (2, 3) and title <> 'Meanwhile' order by id`
    expect(await select(now)).toEqual(rows.map((row) => (Number(row.id) === 11000 ? { ...row, pages: '51000' } : row)))
    expect(await select(`select pages, rank from book where id = 2 or title = 'Meanwhile' order by id`)).toEqual([
      { pages: '40002', rank: '200002' },
      { pages: '30000', rank: null },
    ])
    await leavesNothing()
    expect(log.mock.calls.flat().join('\n')).toMatch(/^"book": 11998 rows have "book_pages_new_type" = "pages"::text$/m)
  })

  test('makes the keys and indexes that a new type by ALTER TABLE would leave, and is undone', async () => {
    const own = [
      `alter table book add constraint own unique (rank, title) deferrable initially deferred`,
      `create index by_rank on book (rank desc nulls last, title collate "POSIX" desc)`,
      `alter table book alter column pages set default 500`,
      `comment on column book.pages is 'It''s 100 %'`,
    ]
    await withRows(10)
    await run(...own)
    const there = await keysOf(database())
    await run(...(await generated(after, { online: false })).flatMap(({ statements }) => statements))
    const comment = `select col_description('book'::regclass, attnum) as it from pg_attribute where attrelid = 'book'::regclass and attname = 'pages'`
    // `ALTER TABLE` says the conversion of a default in no other way than this.
    const cast = (lines: readonly string[]) => lines.map((line) => line.replace(/ 500$/, ' (500)::text'))
    const [wanted, said] = [cast(await keysOf(database())), await select(comment)]
    await run('drop table book')
    await withRows(10)
    await run(...own)
    expect(await keysOf(database())).toEqual(there)
    const made = await migrations(after, { online: true })
    await made.up()
    expect(await keysOf(database())).toEqual(wanted)
    expect(await select(comment)).toEqual(said)
    await run(`insert into book (title) values ('Default')`)
    expect(await select(`select pages from book where title = 'Default'`)).toEqual([{ pages: '500' }])
    await expect(run(`insert into book (title) values ('Default')`)).rejects.toThrow(/book_pages_key/)
    await leavesNothing()
    await made.down()
    expect((await checkTables(database().db, before)).filter(({ severity }) => severity === 'error')).toEqual([])
    await made.up()
    expect(await keysOf(database())).toEqual(wanted)
    await leavesNothing()
  })

  test('goes on where it was stopped, with what others have written meanwhile', async () => {
    await withRows(12_000)
    const made = await migrations(after)
    await run(
      `create function stop() returns trigger language plpgsql as $$ begin raise exception 'stop'; end $$`,
      'create trigger stop before update on book for each row when (old.id = 7000) execute function stop()',
    )
    expect((await made.tryUp()).error).toMatchObject({ message: 'stop' })
    const filled = 'select count(*)::int as count from book where "book_pages_new_type" is not null'
    expect(await select(filled)).toEqual([{ count: 5_000 }])
    await run(
      'drop trigger stop on book',
      'update book set pages = 50000, rank = 1 where id = 1',
      `insert into book (title, pages) values ('Meanwhile', 50001)`,
    )
    await made.up()
    await isThere(after)
    expect(await select(`select pages, rank from book where id = 1 or title = 'Meanwhile' order by id`)).toEqual([
      { pages: '50000', rank: '1' },
      { pages: '50001', rank: null },
    ])
    expect(await select('select 1 from book where id between 2 and 12000 and pages <> id::text')).toEqual([])
    await leavesNothing()
    // 5,000 of them, and the one that another program wrote, had theirs.
    expect(log.mock.calls.flat().map(String)).toContain('"book": 7000 rows have "book_pages_new_type" = "pages"::text')
  })

  test('is undone where it has only begun', async () => {
    await withRows(10)
    const there = await keysOf(database())
    const made = await Migrations.in(database(), folder())
    await made.add((await generated(after)).slice(0, 1))
    await made.up()
    await made.down()
    expect(await keysOf(database())).toEqual(there)
    await leavesNothing()
  })

  test('waits for the table for a short time only, and tries again, where one column takes the place of the other', async () => {
    await withRows(10)
    const made = await migrations(after)
    await run(
      `create function stop() returns event_trigger language plpgsql as $$ begin raise exception 'stop'; end $$`,
      `create event trigger stop on sql_drop execute function stop()`,
    )
    // The other column is not half away, nor is an index of it.
    expect(String((await made.tryUp()).error)).toContain('stop')
    const columns = `select attname from pg_attribute where attrelid = 'book'::regclass and attnum > 0 and not attisdropped order by 1`
    expect((await select(columns)).map(({ attname }) => attname)).toContain('book_pages_new_type')
    await run('drop event trigger stop', `insert into book (title, pages) values ('Late', 99)`)
    let up: Promise<void> | undefined
    await other.transaction().execute(async (transaction) => {
      await sql`select 1 from book limit 1`.execute(transaction)
      up = made.up()
      await until(true)
      // Others wait no longer behind it than it does.
      await until(false)
    })
    await up
    await isThere(after)
    expect(await select(`select pages from book where title = 'Late'`)).toEqual([{ pages: '99' }])
    await leavesNothing()
  })

  test('refuses to drop a column that something else has come to use, and goes on once it is gone', async () => {
    await withRows(10)
    const made = await migrations(after)
    await run('alter table book add constraint few check (pages < 1000)', 'create index late on book (rank)')
    expect(String((await made.tryUp()).error)).toContain(
      'Another column cannot take over what uses this one: constraint few on table book',
    )
    await run('alter table book drop constraint few')
    expect(String((await made.tryUp()).error)).toContain(
      'Another column cannot take over what uses this one: index late',
    )
    expect(await select(`select 1 from book where pages = '1'`)).toHaveLength(1)
    await run('drop index late')
    await made.up()
    await isThere(after)
    await leavesNothing()
  })

  test('has PostgreSQL write the table anew where a new column could not take over what uses the old one', async () => {
    const uses: Readonly<Record<string, readonly [string, string]>> = {
      'a key that another table names': [
        'create table other (pages bigint references book (pages))',
        'constraint other_pages_fkey on table other',
      ],
      'a check': ['alter table book add constraint few check (pages is not null)', 'constraint few on table book'],
      'an index of its own kind': ['create index wide on book (rank) include (pages)', 'index wide'],
      privileges: ['grant select (pages) on book to public', 'privileges of the column'],
      statistics: ['create statistics pairs on pages, rank from book', 'statistics object pairs'],
      'a table that inherits': ['create table child () inherits (book)', 'a table that inherits'],
    }
    for (const [statement, what] of Object.values(uses)) {
      await withRows(3)
      await run(statement)
      const files = await generated(after, { online: true })
      const changes = files.flatMap(({ changes: all }) => all)
      const why = `others wait until all rows are written, as a new column could not take over ${what}`
      expect(changes.find((one) => one.includes('book.pages'))).toBe(
        `column book.pages is of type int8: it should be text: ${why}`,
      )
      expect(files.flatMap(({ statements }) => statements)).toContain(
        'ALTER TABLE "book" ALTER COLUMN "pages" TYPE text COLLATE "C" USING "pages"::text',
      )
      await run('drop table book cascade', 'drop table if exists other')
    }
  })

  test('has PostgreSQL write a table anew whose keys get a tenant in the same migration', async () => {
    const model = (pages: object, options?: object) =>
      defineResources(
        {
          org: { fields: {} },
          book: { fields: { title: text, pages }, unique: [['pages']], index: [['title']] },
        } as never,
        options as never,
      ) as Model
    const to = model(text, { tenant: { resource: 'org' } })
    await createTables(database().db, model(Type.Integer()))
    await run('insert into org default values', `insert into book (title, pages) values ('Ink', 4)`)
    const files = await generated(to, { online: true, fill: { orgId: 1 } })
    expect(files.flatMap(({ changes }) => changes).join('\n')).toContain('could not take over keys that get the tenant')
    const made = await Migrations.in(database(), folder())
    await made.add(files)
    await made.up()
    await isThere(to)
  })

  test('leaves types to PostgreSQL that it changes at once, and small tables', async () => {
    const short = define({
      pages: Type.Integer(),
      rank: Type.Optional(Type.Integer()),
      code: Type.String({ maxLength: 5 }),
    })
    const to = define({ pages: Type.Integer(), rank: Type.Optional(Type.Integer()), code: Type.String() })
    await createTables(database().db, short)
    await run(
      `alter table book alter column code type varchar(5) collate "C"`,
      `insert into book (title, pages, code) values ('Ink', 1, 'a')`,
    )
    const files = await generated(to, { online: true })
    expect(files.flatMap(({ statements }) => statements)).toEqual([
      'ALTER TABLE "book" ALTER COLUMN "code" TYPE text COLLATE "C"',
    ])
    await run('drop table book')
    await withRows(10)
    await run(`update pg_class set reltuples = 100000 where oid = 'book'::regclass`)
    expect((await generated(after)).map(({ kind }) => kind)).toEqual(['ordinary'])
    expect((await generated(after, { online: true })).map(({ kind }) => kind)).toEqual(['ordinary', 'concurrently'])
  })

  test('takes all types that keep their values, in columns that are renamed and become required', async () => {
    const date = Type.String({ format: 'date' })
    const from = {
      whole: Type.Integer(),
      part: Type.Number(),
      'day of': date,
      free: Type.Optional(Type.Integer()),
      old: Type.Integer(),
    }
    const to = {
      whole: Type.Number(),
      part: Type.Any(),
      'day of': text,
      free: Type.Integer(),
      'new "$$ it\'s': field(text, { was: 'old' }) as never,
    }
    const [first, last] = [define(from), define(to)]
    const { db } = database()
    await createTables(db, first)
    const rows = [
      { title: 'a', whole: 7, part: 0.1, 'day of': '2026-01-31', free: 3, old: 4 },
      { title: 'b', whole: -9007199254740991, part: -5e-7, 'day of': '0044-03-15', free: null, old: 5 },
    ]
    const store = createStore({ db, resources: first })
    for (const row of rows) await store.resource('book').create({ ...row, free: row.free ?? undefined } as never)
    const made = await migrations(last, { online: true, fill: { free: 8 } })
    await made.up()
    await isThere(last)
    await leavesNothing()
    const { rows: found } = (await createStore({ db, resources: last }).resource('book').list()) as never as {
      rows: object[]
    }
    expect(found).toMatchObject(
      rows.map(({ old, free, ...row }) => ({ ...row, free: free ?? 8, 'new "$$ it\'s': String(old) })),
    )
  })
})
