import type { AnyKysely } from '@fastify-crud/core'
import { openSqlite } from '@fastify-crud/core/sqlite'
import SqliteDriver from 'better-sqlite3'
import { CamelCasePlugin, Kysely, SqliteDialect, sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hasFunctions, SQLITE_FUNCTIONS } from '../../src/sql/dialect/sqlite/sqlite-functions.ts'

function opened(given: string | SqliteDriver.Database = ':memory:'): AnyKysely {
  const db = openSqlite(given)
  onTestFinished(() => db.destroy())
  return db
}

async function resultOf(db: AnyKysely, expression: string): Promise<unknown> {
  const { rows } = await sql<{ result: unknown }>`select ${sql.raw(expression)} as result`.execute(db)
  return rows[0]?.result
}

describe('What openSqlite returns has the functions', () => {
  test('for a file and for a database that is open already', () => {
    expect(hasFunctions(opened())).toBe(true)
    expect(hasFunctions(opened(new SqliteDriver(':memory:')))).toBe(true)
  })

  test('in its transactions, and with other plugins or schemas', async () => {
    const db = opened()
    expect(hasFunctions(db.withPlugin(new CamelCasePlugin()))).toBe(true)
    expect(hasFunctions(db.withoutPlugins())).toBe(true)
    expect(hasFunctions(db.withSchema('main'))).toBe(true)
    await db.transaction().execute(async (transaction) => {
      expect(hasFunctions(transaction)).toBe(true)
      expect(await resultOf(transaction, "crud_lower('É')")).toBe('é')
    })
    await db.connection().execute(async (one) => expect(hasFunctions(one)).toBe(true))
  })

  test('another Kysely instance has not', () => {
    const db = new Kysely({ dialect: new SqliteDialect({ database: new SqliteDriver(':memory:') }) })
    onTestFinished(() => db.destroy())
    expect(hasFunctions(db)).toBe(false)
  })

  test('unless the database takes no functions', () => {
    const database = new SqliteDriver(':memory:')
    const alike = { ...database, prepare: (text: string) => database.prepare(text), close: () => database.close() }
    expect(hasFunctions(opened({ ...alike, function: undefined } as never))).toBe(false)
  })
})

test('crud_lower is the lower case of every letter, and null for what is no text', async () => {
  const db = opened()
  expect(await resultOf(db, "crud_lower('ÉCOLE ΣΑΣ İ')")).toBe('école σασ i')
  expect(await resultOf(db, "coalesce(crud_lower(null), crud_lower(1), crud_lower(1.5), crud_lower(x'41'))")).toBeNull()
})

test('crud_base64 is the base64 of a blob, and null for what is no blob', async () => {
  const db = opened()
  expect(await resultOf(db, "crud_base64(x'00ff5c78')")).toBe('AP9ceA==')
  expect(await resultOf(db, "crud_base64(x'')")).toBe('')
  expect(
    await resultOf(db, "coalesce(crud_base64(null), crud_base64(1), crud_base64(1.5), crud_base64('a'))"),
  ).toBeNull()
})

test('crud_decimal sorts and compares decimals as numbers, whatever type they are stored as', async () => {
  const db = opened()
  const { rows } = await sql<{ value: string }>`
    select cast(value as text) as value from (
      select '10.5' as value union all select '9.75' union all select '-3' union all select '-20.000' union all select 2
      union all select 0.25 union all select 9007199254740993 union all select '9007199254740992.5'
    ) order by crud_decimal(value)`.execute(db)
  expect(rows.map(({ value }) => value)).toEqual([
    '-20.000',
    '-3',
    '0.25',
    '2',
    '9.75',
    '10.5',
    '9007199254740992.5',
    '9007199254740993',
  ])
  expect(await resultOf(db, "crud_decimal('1.50') = crud_decimal('1.5')")).toBe(1)
  expect(await resultOf(db, "coalesce(crud_decimal(null), crud_decimal('one'), crud_decimal(''))")).toBeNull()
})

const OF_TWO: readonly string[] = [SQLITE_FUNCTIONS.decimalQuotient, SQLITE_FUNCTIONS.localDate]

test('crud_decimal_quotient rounds half away from zero, and has no zeros at the end', async () => {
  const db = opened()
  const cases = [
    ['1', 3, '0.3333333333333333'],
    ['2', 3, '0.6666666666666667'],
    ['-2', 3, '-0.6666666666666667'],
    ['0.00000000000000005', 1, '0.0000000000000001'],
    ['-0.00000000000000005', 1, '-0.0000000000000001'],
    ['0.00000000000000004', 1, '0'],
    ['100', 4, '25'],
    ['99999999999999999999.03', 2, '49999999999999999999.515'],
  ] as const
  for (const [x, n, quotient] of cases)
    expect(await resultOf(db, `crud_decimal_quotient('${x}', ${n})`), `${x} / ${n}`).toBe(quotient)
  for (const none of ["'x', 2", "'1', 0", 'null, 2', "'1', null"])
    expect(await resultOf(db, `crud_decimal_quotient(${none})`), none).toBeNull()
})

test('crud_local_date is the date of a moment in a time zone', async () => {
  const db = opened()
  const cases = [
    ['2026-03-28T23:30:00Z', 'Europe/Vienna', '2026-03-29'],
    ['2026-03-29T21:59:59Z', 'Europe/Vienna', '2026-03-29'],
    ['2026-03-29T22:00:00Z', 'Europe/Vienna', '2026-03-30'],
    ['2026-10-25T22:59:59Z', 'Europe/Vienna', '2026-10-25'],
    ['2026-01-01T18:14:59Z', 'Asia/Kathmandu', '2026-01-01'],
    ['2026-01-01T18:15:00Z', 'Asia/Kathmandu', '2026-01-02'],
    ['1850-06-01T22:54:00Z', 'Europe/Vienna', '1850-06-01'],
    ['1850-06-01T22:55:00Z', 'Europe/Vienna', '1850-06-02'],
    ['0050-01-01T12:00:00Z', 'UTC', '0050-01-01'],
  ] as const
  for (const [at, zone, date] of cases)
    expect(await resultOf(db, `crud_local_date(unixepoch('${at}', 'subsec'), '${zone}')`), at).toBe(date)
  for (const none of ["null, 'UTC'", "'x', 'UTC'", '1.5, null'])
    expect(await resultOf(db, `crud_local_date(${none})`), none).toBeNull()
})

test.each(Object.values(SQLITE_FUNCTIONS))(
  'Nothing in the file can depend on %s, so that other programs can write to it',
  async (name) => {
    const db = opened()
    await sql`create table a (x text)`.execute(db)
    const call = sql.raw(`${name}(${OF_TWO.includes(name) ? 'x, x' : 'x'})`)
    await expect(sql`create index i on a (${call})`.execute(db)).rejects.toThrow(/unsafe use|prohibited/)
    await sql`create view v as select ${call} from a`.execute(db)
    await expect(sql`select * from v`.execute(db)).rejects.toThrow(/unsafe use/)
  },
)
