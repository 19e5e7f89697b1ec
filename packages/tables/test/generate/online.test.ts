import { defineResources, field, type Model, ownedBy, owns } from '@fastify-crud/core'
import { openPostgres } from '@fastify-crud/core/postgres'
import { checkTables, createTables, generateMigrations } from '@fastify-crud/tables'
import { type TProperties, Type } from '@sinclair/typebox'
import { type Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openedSetups, type Setup } from '../../../../test/support/databases.ts'
import { Migrations } from './migrations.ts'
import { useMigrations } from './use-migrations.ts'

const postgres = openedSetups.find(({ name }) => name === 'postgres') as Setup
const note = Type.Optional(Type.String())
const book = (changed: TProperties) =>
  defineResources({ book: { fields: { title: Type.String(), pages: Type.Integer(), note, ...changed } } }) as Model
const before = book({})
const withPrice = book({ price: Type.Integer(), note: Type.String() })
const fill = { price: sql`pages * 2`, note: 'none' }

describe('a migration of a table of PostgreSQL that others use', () => {
  const { database, folder, migrate } = useMigrations(postgres)
  const log = vi.spyOn(console, 'log')
  let other: Kysely<{ book: { id: number; title: string; pages: number; note: string | null; price: number } }>
  beforeEach(() => {
    log.mockReset().mockImplementation(() => {})
    other = openPostgres(database().location, { max: 3, warn: () => {} }) as never
  })
  afterEach(() => other.destroy())

  async function withRows(count: number): Promise<void> {
    await createTables(database().db, before)
    const rows = sql`insert into book (title, pages) select 'Ink', n from generate_series(1, ${sql.lit(count)}) as n`
    await rows.execute(database().db)
  }

  async function generated(to: Model, options: object): Promise<Migrations> {
    const { files } = await generateMigrations(database().db, to, options)
    expect(files.map(({ kind }) => kind)).toEqual(['ordinary', 'concurrently'])
    const migrations = await Migrations.in(database(), folder())
    await migrations.add(files)
    return migrations
  }

  /** The modes in which other sessions hold, or wait for, the table. */
  async function locks(): Promise<readonly string[]> {
    const { rows } = await sql<{ mode: string }>`
      select distinct mode from pg_locks where relation = 'book'::regclass and locktype = 'relation' and pid <> pg_backend_pid() order by 1`.execute(
      other,
    )
    return rows.map(({ mode }) => mode)
  }

  async function untilWaiting(): Promise<void> {
    for (;;) {
      const { rows } = await sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like 'with changed as%'`.execute(
        other,
      )
      if (rows.length > 0) return
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  test('fills rows in portions, in which it holds no lock that others wait for', async () => {
    await withRows(12_000)
    const { files } = await generateMigrations(database().db, withPrice, { fill, online: true })
    const migrations = await Migrations.in(database(), folder())
    await migrations.add(files.slice(0, 1))
    await migrations.up()
    await migrations.add(files.slice(1))
    let isHeld: () => void = () => {}
    const held = new Promise<void>((resolve) => {
      isHeld = resolve
    })
    // Somebody holds a row of the second portion.
    let letGo: () => void = () => {}
    const gone = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const holder = other.transaction().execute(async (transaction) => {
      await sql`select 1 from book where id = 7000 for update`.execute(transaction)
      isHeld()
      await gone
    })
    onTestFinished(() => letGo())
    await held
    const up = migrations.up()
    await untilWaiting()
    expect(await locks()).toEqual(['RowExclusiveLock', 'RowShareLock'])
    const filled = await sql<{
      count: number
    }>`select count(*)::int as count from book where note = 'none' or price is not null`.execute(other)
    expect(filled.rows).toEqual([{ count: 5_000 }])
    await other.transaction().execute(async (transaction) => {
      await sql`set local lock_timeout = '100ms'`.execute(transaction)
      await sql`insert into book (title, pages, note) values ('New', 1, null)`.execute(transaction)
      await sql`update book set title = 'Other' where id in (1, 11000)`.execute(transaction)
      await sql`delete from book where id = 2`.execute(transaction)
    })
    letGo()
    await Promise.all([up, holder])
    expect(await checkTables(database().db, withPrice)).toEqual([])
    const wrong = sql`select 1 from book where price <> pages * 2 or note <> 'none'`
    expect((await wrong.execute(other)).rows).toEqual([])
    expect((await sql`select 1 from book where id in (1, 11000) and title = 'Other'`.execute(other)).rows).toHaveLength(
      2,
    )
    // The check was for a while only.
    expect(
      (await sql`select conname from pg_constraint where conrelid = 'book'::regclass and contype = 'c'`.execute(other))
        .rows,
    ).toEqual([])
    expect(log.mock.calls.flat().join('\n')).toMatch(/^"book": 1200[01] rows have "price" = \(pages \* 2\)$/m)
  })

  test('goes on where it was stopped', async () => {
    await withRows(12_000)
    const migrations = await generated(withPrice, { fill, online: true })
    await sql`create function stop() returns trigger language plpgsql as $$ begin raise exception 'stop'; end $$`.execute(
      other,
    )
    await sql`create trigger stop before update on book for each row when (old.id = 7000) execute function stop()`.execute(
      other,
    )
    expect((await migrations.tryUp()).error).toMatchObject({ message: 'stop' })
    const versions = sql<{
      version: string
    }>`select xmin::text as version from book where id <= 5000 and (price is not null or note is not null) order by id`
    const first = (await versions.execute(other)).rows
    expect(first).toHaveLength(5_000)
    await sql`drop trigger stop on book`.execute(other)
    await migrations.up()
    expect(await checkTables(database().db, withPrice)).toEqual([])
    expect(log.mock.calls.flat().map((line) => String(line).replace(/ rows.*/, ''))).toContain('"book": 7000')
  })

  test('waits for a lock for a short time only, and tries again', async () => {
    await withRows(10)
    const migrations = await generated(withPrice, { fill, online: true })
    let up: Promise<void> | undefined
    await other.transaction().execute(async (transaction) => {
      await sql`select 1 from book limit 1`.execute(transaction)
      up = migrations.up()
      // Behind the ALTER TABLE, others wait no longer than it does.
      await sql`select pg_sleep(0.3)`.execute(transaction)
      await sql`set lock_timeout = '10s'; insert into book (title, pages) values ('New', 1)`
        .execute(other)
        .catch(() => {})
    })
    await up
    expect(await checkTables(database().db, withPrice)).toEqual([])
  })

  test('does so by itself where there are more than 100,000 rows', async () => {
    await withRows(100_000)
    const kinds = async (options: object) => {
      const { files } = await generateMigrations(database().db, withPrice, { fill, ...options })
      return files.map(({ kind }) => kind)
    }
    expect(await kinds({})).toEqual(['ordinary'])
    expect(await kinds({ online: true })).toEqual(['ordinary', 'concurrently'])
    await sql`insert into book (title, pages) values ('New', 1)`.execute(other)
    expect(await kinds({})).toEqual(['ordinary', 'concurrently'])
    expect(await kinds({ online: false })).toEqual(['ordinary'])
  })

  test('fails where SQL gives a row no value, and goes on once it has one', async () => {
    await withRows(10)
    const migrations = await generated(withPrice, { fill: { ...fill, price: sql`nullif(pages, 3)` }, online: true })
    expect(String((await migrations.tryUp()).error)).toContain('violates check constraint "book_price_filled_check"')
    await sql`update book set price = 0 where pages = 3`.execute(other)
    await migrations.up()
    expect(await checkTables(database().db, withPrice)).toEqual([])
  })

  test('finds the rows by keys of all kinds, and is undone', async () => {
    const text = Type.String()
    const model = (more: TProperties) =>
      defineResources({
        pair: { id: ['left', 'right'], fields: { left: text, right: Type.Integer(), ...more } },
        plan: { id: 'uuid', fields: { title: text, ...more }, relations: { parts: owns.many('part') } },
        part: { id: 'text', fields: { title: text, ...more }, relations: { plan: ownedBy('plan') } },
      }) as Model
    const uuid = '0190163d-8694-739b-aea5-966c26f8ad91'
    const rows = {
      pair: [
        { left: "it's", right: 1 },
        { left: 'b', right: 2 },
      ],
      plan: [{ id: uuid, title: 'x' }],
      part: [{ id: "a'b", title: 'y', planId: uuid }],
    }
    const filled = { 'pair.rank': 1, 'plan.rank': '2', 'part.rank': sql`length(title) + 2` }
    const { db } = database()
    const to = model({ rank: Type.Integer() })
    await createTables(db, model({}))
    for (const [table, values] of Object.entries(rows)) await db.insertInto(table).values(values).execute()
    const migrations = await generated(to, { fill: filled, online: true })
    await migrations.up()
    expect(await checkTables(db, to)).toEqual([])
    expect(await db.selectFrom('part').select('rank').execute()).toEqual([{ rank: 3 }])
    await migrations.down()
    expect((await checkTables(db, model({}))).filter(({ severity }) => severity === 'error')).toEqual([])
    await migrations.up()
    expect(await checkTables(db, to)).toEqual([])
  })

  test('leaves a check of the table alone', async () => {
    await withRows(10)
    const { db } = database()
    await sql`alter table book add constraint book_note_check check (note <> 'bad')`.execute(db)
    await (await generated(withPrice, { fill, online: true })).up()
    expect((await sql`select 1 from pg_constraint where conname = 'book_note_check'`.execute(db)).rows).toHaveLength(1)
  })

  test('needs no portions for a default, which PostgreSQL adds at once', async () => {
    await withRows(10)
    const to = book({ rank: field(Type.Integer(), { default: 3 }) as never })
    const { files } = await generateMigrations(database().db, to, { online: true })
    expect(files.map(({ kind }) => kind)).toEqual(['ordinary'])
  })

  test('fills by SQL, without portions, too', async () => {
    const { rows } = await migrate(before, { book: [{ title: 'Ink', pages: 4 }] }, withPrice, fill)
    expect(rows.book).toMatchObject([{ title: 'Ink', pages: 4, price: 8, note: 'none' }])
    const refused = generateMigrations(database().db, book({ a: Type.Integer() }), { fill: { a: sql`${1} + 1` } })
    await expect(refused).rejects.toThrow("fill: the SQL of 'a' has values in it: write them by sql.lit")
  })
})
