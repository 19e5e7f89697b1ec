import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../../../../test/support/databases.ts'
import { fieldCheck } from '../../src/model/values/field-check.ts'
import { moment } from '../../src/sql/dialect/value-sql.ts'

const two = (from: number, to: number) => fc.integer({ min: from, max: to }).map((one) => String(one).padStart(2, '0'))

/** In the spelling of RFC 3339 with upper case, which both databases know. */
const dateTime = fc
  .record({
    year: fc.integer({ min: 0, max: 9999 }).map((year) => String(year).padStart(4, '0')),
    month: two(1, 12),
    day: two(1, 28),
    hour: two(0, 23),
    minute: two(0, 59),
    second: two(0, 59),
    fraction: fc.constantFrom('', '.5', '.123', '.999'),
    offset: fc.oneof(
      fc.constant('Z'),
      fc.tuple(fc.constantFrom('+', '-'), two(0, 14), two(0, 59)).map(([sign, h, m]) => `${sign}${h}:${m}`),
    ),
  })
  .map((p) => `${p.year}-${p.month}-${p.day}T${p.hour}:${p.minute}:${p.second}${p.fraction}${p.offset}`)

describe.each(databases)('The point in time of a date-time ($name)', ({ name, open }) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function momentsOf(texts: readonly string[]): Promise<readonly (number | null)[]> {
    const list = JSON.stringify(texts)
    const rows =
      name === 'sqlite'
        ? sql`json_each(${list})`
        : sql`json_array_elements_text(${list}::text::json) with ordinality as j(value, key)`
    const { rows: found } = await sql<{ at: string | number | null }>`
      select ${moment(name, sql`value`)} as at from ${rows} order by key`.execute(database.db)
    return found.map(({ at }) => (at === null ? null : Number(at)))
  }

  test('is that of JavaScript', async () => {
    const texts = fc.sample(dateTime, { numRuns: 3_000, seed: 20_260_501 })
    const found = await momentsOf(texts)
    const wrong = texts.filter((text, index) => Math.abs((found[index] ?? Number.NaN) * 1000 - Date.parse(text)) > 0.5)
    expect(wrong).toEqual([])
    expect(found).not.toContain(null)
  })

  test('is null for what is no date-time, and never fails', async () => {
    const texts = ['', 'x', '2026-13-01T00:00:00Z', '2026-05-01T1:00:00Z', 'é'.repeat(20), '٢٠٢٦-05-01T10:00:00Z']
    expect(await momentsOf(texts)).toEqual(texts.map(() => null))
  })
})

describe('On PostgreSQL, the point in time of a date-time', () => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = (await databases.find(({ name }) => name === 'postgres')?.open()) as OpenDatabase
  })
  afterAll(() => database.close())

  async function momentOf(text: string): Promise<string | null> {
    const { rows } = await sql<{
      at: string | null
    }>`select ${moment('postgres', sql`${text}::text`)}::text as at`.execute(database.db)
    return rows[0]?.at ?? null
  }

  const fits = fieldCheck({ type: 'string', format: 'date-time' }, 'string')

  test.each([
    ['2026-05-01T10:00:00+02:00', '1777622400'],
    ['2026-05-01T10:00:00+0200', '1777622400'],
    ['2026-05-01T10:00:00+02', '1777622400'],
    ['2026-05-01t08:00:00z', '1777622400'],
    ['2026-05-01 08:00:00Z', '1777622400'],
    ['2026-05-01T07:29:30-00:30', '1777622370'],
    ['0000-01-01T00:00:00Z', '-62167219200'],
    ['2026-05-01T08:00:00.1234567Z', '1777622400.123456'],
    [`2026-05-01T08:00:00.${'9'.repeat(10_000)}Z`, '1777622400.999999'],
  ])('is known for every spelling that a field takes: %s', async (text, seconds) => {
    expect(fits(text)).toEqual([])
    expect(await momentOf(text)).toBe(seconds)
  })

  test('is also that of a timestamptz', async () => {
    const { rows } = await sql<{ at: string }>`
      select ${moment('postgres', sql`x`)}::text as at from (values (timestamptz '2026-05-01T10:00:00.25+05:30')) v(x)`.execute(
      database.db,
    )
    expect(rows[0]?.at).toBe('1777609800.25')
  })
})
