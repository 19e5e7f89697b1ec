import { keepStatements } from '@fastify-crud/core'
import SqliteDriver from 'better-sqlite3'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import { databases } from '../../../../test/support/databases.ts'

const MOST_KEPT = 1_500

test('SQLite drops the kept statement that was not used for longest, one at a time', () => {
  using database = Object.assign(new SqliteDriver(':memory:'), { [Symbol.dispose]() {} })
  const prepared: string[] = []
  const counting = {
    prepare(text: string) {
      prepared.push(text)
      return database.prepare(text)
    },
    close: () => void database.close(),
  }
  const kept = keepStatements(counting)
  const use = (text: string) => {
    prepared.length = 0
    kept.prepare(text).all([])
    return prepared.length
  }
  const texts = Array.from({ length: MOST_KEPT + 1 }, (_, index) => `select ${index}`)
  const [first, second, third] = texts as [string, string, string]
  for (const text of texts.slice(0, -1)) for (const _ of [1, 2, 3]) use(text)
  for (const text of texts.slice(0, -1)) expect(use(text)).toBe(0)
  expect(use(first)).toBe(0)
  for (const _ of [1, 2, 3]) use(texts.at(-1) as string)
  expect(use(texts.at(-1) as string)).toBe(0)
  expect(use(second)).toBe(1)
  expect(use(third)).toBe(0)
  expect(use(first)).toBe(0)
  kept.close()
})

test.each([true, false])(
  'PostgreSQL keeps the statements that were used last, and no more (messages of our own: %s)',
  async (hasMessages) => {
    const postgres = databases.find(({ name }) => name === 'postgres') as (typeof databases)[number]
    const open = await postgres.open()
    // With `pipeline`, it is the driver that sends them, and it never forgets a name.
    const pool = new pg.Pool({ connectionString: open.location, max: 1, pipeline: !hasMessages })
    const db = new Kysely<never>({ dialect: new PostgresDialect({ pool: keepStatements(pool) }) })
    const use = (index: number) => sql`select ${sql.lit(index)}::int, ${index}::int`.execute(db)
    const names = async () => {
      const { rows } = await sql<{
        statement: string
      }>`select statement from pg_prepared_statements where name like 'crud%'`.execute(db)
      return new Set(rows.map(({ statement }) => statement))
    }
    try {
      for (let index = 0; index < MOST_KEPT + 100; index++) for (const _ of [1, 2, 3]) await use(index)
      // The server forgets with the next message.
      await use(MOST_KEPT + 99)
      const kept = await names()
      expect(kept.size).toBeLessThanOrEqual(MOST_KEPT)
      expect(kept.has('select 1599::int, $1::int')).toBe(hasMessages)
      expect(kept.has('select 0::int, $1::int')).toBe(!hasMessages)
      expect((await use(0)).rows).toHaveLength(1)
    } finally {
      await db.destroy()
      await open.close()
    }
  },
)
