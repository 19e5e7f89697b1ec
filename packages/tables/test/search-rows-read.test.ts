import { createStore, defineResources } from '@fastify-crud/core'
import { openSqlite } from '@fastify-crud/core/sqlite'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import SqliteDriver from 'better-sqlite3'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { simpleLowerCase } from '../../core/src/sql/dialect/sqlite/sqlite-functions.ts'

const text = Type.String()
const model = defineResources({
  book: {
    fields: { title: text, kind: Type.String({ maxLength: 9 }), level: Type.Integer() },
    search: { fields: ['title'], index: true },
    index: [['kind', 'level']],
  },
})

const ROWS = 20_000

describe('a search with an index (sqlite)', () => {
  const driver = new SqliteDriver(':memory:')
  const db = openSqlite(driver)
  const { book } = createStore({ db, resources: model })

  beforeAll(async () => {
    await createTables(db, model)
    // Every second title has the first word. The last 1,500 have the second one, and three have the third.
    await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(ROWS)})
      insert into book (title, kind, level)
      select case i % 2 when 0 then 'common ' else '' end || case when i > ${sql.lit(ROWS - 1_500)} then 'latest ' else '' end
        || case when i % 7000 = 1 then 'seldom ' else '' end || case when i % 30 = 0 then 'İstanbul ' when i % 3 = 0 then 'Istanbul ' else 'Wien ' end || i,
        'k' || (i % 5), i % 400
      from n`.execute(db)
  })
  afterAll(() => db.destroy())

  /** The texts of so many rows are read. */
  async function rowsRead(options: object): Promise<number> {
    let count = 0
    const lower = (value: unknown) => {
      count += 1
      return simpleLowerCase(String(value))
    }
    driver.function('crud_lower', { deterministic: true, directOnly: true }, lower)
    await book.list(options)
    return count
  }

  test('reads a page of a common word in its order', async () => {
    expect(await rowsRead({ search: 'common', count: 'none' })).toBeLessThan(100)
    expect(await rowsRead({ search: 'common', count: 100 })).toBeLessThan(600)
    expect(await rowsRead({ search: 'common', count: 'none', sort: ['-id'] })).toBeLessThan(100)
  })

  test('looks up the rows of a rare word, and of a common one that the first rows of the list do not have', async () => {
    expect(await rowsRead({ search: 'seldom', count: 'none' })).toBeLessThan(20)
    const read = await rowsRead({ search: 'latest', count: 'none' })
    expect(read).toBeGreaterThan(2_000)
    expect(read).toBeLessThan(4_000)
    expect(await rowsRead({ search: 'latest', count: 'none', filter: { kind: 'k1' } })).toBeLessThan(4_000)
  })

  test('looks up the rows where no index has the order of the list', async () => {
    expect(await rowsRead({ search: 'latest', count: 'none', sort: ['level'] })).toBeLessThan(1_600)
    expect(await rowsRead({ search: 'latest', count: 'none', sort: ['title'] })).toBeLessThan(1_600)
  })

  test('has as many records in its pages as it counts, also with letters that the index takes for others', async () => {
    for (const search of ['istan', 'İSTAN', 'bul 3', 'wien']) {
      const found: number[] = []
      const { count } = await book.list({ search, limit: 1 })
      for (let after: string | undefined; ; ) {
        const page = await book.list({ search, limit: 100, count: 'none', ...(after && { after }) } as {
          search: string
        })
        found.push(...page.rows.map(({ id }) => id))
        if (page.next === undefined) break
        after = page.next
      }
      expect([search, found.length]).toEqual([search, count])
      expect(found).toEqual([...new Set(found)].sort((a, b) => a - b))
    }
  })
})
