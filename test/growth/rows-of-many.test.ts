import { createStore, type Id } from '@fastify-crud/core'
import { openPostgres } from '@fastify-crud/core/postgres'
import { createTables } from '@fastify-crud/tables'
import { Kysely, PostgresDialect, sql } from 'kysely'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import type { TestKysely } from '../support/tables.ts'
import { watchRowsRead } from './rows-read.ts'
import { resources, writeMany } from './write-many.ts'

/** Twenty tenants, whom the statistics know, with as many customers each. */
const KNOWN = [
  `insert into org (name) select 'org ' || n from generate_series(1, 23) as n`,
  `insert into customer ("orgId", code, rank) select id, 'c' || n, n from org, generate_series(1, 500) as n where id <= 20`,
  `insert into address ("orgId", "customerId", city) select "orgId", id, 'Rome' from customer`,
  `insert into room ("orgId", "addressId", name) select "orgId", id, 'attic' from address`,
  `insert into tag ("orgId", id, name) select "orgId", id::text, 'new' from customer`,
  `insert into "order" ("orgId", id, number, "customerId") select "orgId", gen_random_uuid(), 1, id from customer`,
  `insert into customer_tags ("orgId", "customerId", "tagId") select "orgId", id, id::text from customer`,
  'analyze',
]

const setups: Readonly<Record<string, (pool: pg.Pool) => TestKysely>> = {
  'of openPostgres': (pool: pg.Pool) => openPostgres(pool),
  'of a plain pool': (pool: pg.Pool) => new Kysely({ dialect: new PostgresDialect({ pool }) }),
}

describe.each(Object.entries(setups))('the rows that PostgreSQL reads on connections %s', (_, openOn) => {
  let open: OpenDatabase
  let db: TestKysely
  let take: ReturnType<typeof watchRowsRead>['take']

  beforeAll(async () => {
    open = await (databases.find(({ name }) => name === 'postgres') as (typeof databases)[number]).open()
    await createTables(open.db, resources)
    for (const statement of KNOWN) await sql.raw(statement).execute(open.db)
    const watched = watchRowsRead(open.location, ['plan_cache_mode=force_custom_plan'])
    take = watched.take
    db = openOn(watched.pool)
  }, 120_000)
  afterAll(async () => {
    await db?.destroy()
    await open?.close()
  })

  /** What a new tenant's writes of so many records read, each. */
  async function readBy(tenant: Id, count: number): Promise<ReadonlyMap<string, number>> {
    const of = createStore({ db, resources }).asSystem({ tenant })
    const read = new Map<string, number>()
    await writeMany(of, count, async (title, write) => {
      take()
      const result = await write()
      // An answer comes behind what the server says of its statement.
      read.set(
        title,
        take().reduce((sum, { rows }) => sum + rows, 0),
      )
      return result
    })
    return read
  }

  test('grow with the records of a write, not with their square, for a tenant who is unknown to the statistics', async () => {
    await readBy(21, 10)
    const [few, many] = [await readBy(22, 100), await readBy(23, 1000)]
    const grown = [...many].filter(([title, rows]) => rows > 20 * (few.get(title) ?? 0))
    expect(many.size).toBe(15)
    expect(Math.min(...few.values())).toBeGreaterThan(100)
    expect(grown.map(([title, rows]) => [title, few.get(title), rows])).toEqual([])
  }, 120_000)
})
