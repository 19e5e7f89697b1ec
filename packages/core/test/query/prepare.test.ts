import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../../../../test/support/databases.ts'
import { prepare } from '../../src/query/text/prepare.ts'
import { constant, slot } from '../../src/query/text/sql-text.ts'

// Only PostgreSQL is sent several statements at once.
describe.each(databases.filter(({ name }) => name === 'postgres'))('a statement with constants ($name)', (database) => {
  let open: OpenDatabase
  beforeAll(async () => {
    open = await database.open()
  })
  afterAll(() => open.close())

  test('has them in place of its slots, and leaves names and strings as they are', async () => {
    const [first, second] = [sql`${slot('first')}::bigint`, sql`${slot('second')}::text`]
    const statement = prepare(
      open.db,
      sql`select ${first} as ${sql.id('a"$1')}, ${constant("it's $2")} as b, ${second} as c`,
    )
    const text = statement.withConstants({ first: '7', second: "'$1'" })
    expect(text).toBe(`select 7::bigint as "a""$1", 'it''s $2' as b, '$1'::text as c`)
    const { rows } = await sql.raw<Record<string, unknown>>(text).execute(open.db)
    expect(rows).toEqual([{ 'a"$1': 7, b: "it's $2", c: '$1' }])
  })

  test('is refused where a slot has none', () => {
    const statement = prepare(open.db, sql`select ${slot('id')}::bigint`)
    expect(() => statement.withConstants({ other: '7' })).toThrow('the statement has no constant for $1')
  })
})
