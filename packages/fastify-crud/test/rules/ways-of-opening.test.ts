import SqliteDriver from 'better-sqlite3'
import { createTables, keepStatements } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { Kysely, PostgresDialect, type PostgresDialectConfig, SqliteDialect, type SqliteDialectConfig } from 'kysely'
import { PostgresJSDialect } from 'kysely-postgres-js'
import pg from 'pg'
import postgresJs from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../../../../test/support/databases.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'
import { transactionPooler } from '../../../../test/support/transaction-pooler.ts'
import type { AnyRecords } from './support/crud-of.ts'
import type { Judged, TestRules } from './support/rules.ts'
import { fillShop, type ShopRows, shop } from './support/shop.ts'
import { storeWith } from './support/store-with.ts'

/** Opens the database of a location, has work done with it, and closes it. */
type Way = (location: string, work: (db: TestKysely) => Promise<void>) => Promise<void>

const opened =
  (open: (location: string) => TestKysely): Way =>
  async (location, work) => {
    const db = open(location)
    try {
      await work(db)
    } finally {
      await db.destroy()
    }
  }

const sqlite = (location: string) => new SqliteDriver(location)
const pool = (connectionString: string) => new pg.Pool({ connectionString, max: 2 })
const onSqlite = (database: SqliteDialectConfig['database']): TestKysely =>
  new Kysely({ dialect: new SqliteDialect({ database }) })
const onPostgres = (some: PostgresDialectConfig['pool']): TestKysely =>
  new Kysely({ dialect: new PostgresDialect({ pool: some }) })

const pooled =
  (open: (location: string) => TestKysely): Way =>
  async (location, work) => {
    const pooler = await transactionPooler(location, 3)
    const url = new URL(location)
    url.host = `127.0.0.1:${pooler.port}`
    try {
      await opened(open)(url.href, work)
    } finally {
      await pooler.close()
    }
  }

const kept = (location: string) => onPostgres(keepStatements(pool(location)))

const ways: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  sqlite: {
    '`openSqlite`': opened((location) => openSqlite(location)),
    'a plain Kysely': opened((location) => onSqlite(sqlite(location))),
    '`keepStatements`': opened((location) => onSqlite(keepStatements(sqlite(location)))),
    '`keepStatements` with `direct`': opened((location) =>
      onSqlite(keepStatements(sqlite(location), { direct: true })),
    ),
  },
  postgres: {
    '`openPostgres`': opened((location) => openPostgres(location, { max: 2 })),
    'a plain Kysely': opened((location) => onPostgres(pool(location))),
    '`keepStatements`': opened(kept),
    'postgres.js': opened(
      (location) =>
        new Kysely({
          dialect: new PostgresJSDialect({ postgres: postgresJs(location, { max: 2, onnotice: () => {} }) }),
        }),
    ),
    'a pooler': pooled((location) => onPostgres(pool(location))),
    'a pooler and `keepStatements`': pooled(kept),
  },
}

/** What the store is made with: the database, or something of the application's own in it. */
const withins: Readonly<Record<string, (db: TestKysely, work: (db: TestKysely) => Promise<void>) => Promise<void>>> = {
  'the database itself': (db, work) => work(db),
  'a transaction of the application’s': (db, work) => db.transaction().execute(work),
  'a transaction that the application ends': async (db, work) => {
    const transaction = await db.startTransaction().execute()
    try {
      await work(transaction)
    } catch (error) {
      await transaction.rollback().execute()
      throw error
    }
    await transaction.commit().execute()
  },
  'a connection of the application’s': (db, work) => db.connection().execute(work),
}

/** A server behind the pooler may lack a statement, and fail the transaction. Then the write is tried again, and runs its rules again. */
const mayLackStatements = (way: string) => way.startsWith('a pooler and')

/** Only the application could begin its own transaction again. */
const lacksStatements = (way: string, within: string) => mayLackStatements(way) && within.startsWith('a transaction')

describe.each(databases)('`db` of rules ($name)', ({ name, open }) => {
  let base: OpenDatabase
  let rows: ShopRows

  beforeAll(async () => {
    base = await open()
    await createTables(base.db, shop)
  })
  beforeEach(async () => {
    await base.empty()
    rows = await fillShop(base.db)
  })
  afterAll(() => base.close())

  const writes: Readonly<Record<string, (orders: AnyRecords) => Promise<unknown>>> = {
    create: (orders) =>
      orders.create({ title: 'new', customerId: rows.customer.id, lines: [{ text: 'x', amount: 1 }] }),
    patch: (orders) => orders.patch(rows.order.id, { title: 'new' }),
    replace: (orders) => orders.replace(rows.order.id, { title: 'newer', customerId: rows.customer.id, tags: [] }),
    delete: (orders) => orders.delete(rows.order.id),
  }

  const cases = Object.entries(ways[name] ?? {}).flatMap(([way, openWay]) =>
    Object.entries(withins).flatMap(([within, enter]) =>
      lacksStatements(way, within) ? [] : [{ way, openWay, within, enter }],
    ),
  )

  test.each(cases)('is the transaction of the write with $way, in $within', async ({ way, openWay, enter }) => {
    const coupons = (db: TestKysely) =>
      db.selectFrom('coupon').select('code').where('code', 'like', 'of %').orderBy('id').execute()
    const titles = async (db: TestKysely) => {
      const found = await db.selectFrom('orders').select(['id', 'title']).orderBy('id').execute()
      return found.map(({ id, title }) => `${id} ${title}`)
    }
    let refuses = false
    let told: string[] = []
    const note = async (db: TestKysely, stage: string) => {
      told.push(stage)
      expect(db.isTransaction).toBe(true)
      await db
        .insertInto('coupon')
        .values({ code: `of ${stage}` })
        .execute()
    }
    const rules: TestRules = {
      order: {
        async validate({ db, refuse }: Judged) {
          await note(db, 'validate')
          expect(await coupons(base.db)).toEqual([])
          if (refuses) refuse('never mind')
        },
        async afterWrite({ db }: Judged) {
          await note(db, 'afterWrite')
          expect(await coupons(db)).toHaveLength(2)
          expect(await titles(db)).not.toEqual(await titles(base.db))
          expect(await coupons(base.db)).toEqual([])
        },
      },
    }
    await openWay(base.location, async (db) => {
      for (const write of Object.values(writes)) {
        await base.db.deleteFrom('coupon').where('code', 'like', 'of %').execute()
        const before = await titles(base.db)
        refuses = true
        await enter(db, async (inner) => {
          const { order } = ordersOf(inner, rules)
          await expect(write(order)).rejects.toMatchObject({ code: 'CRUD_ERR_REFUSED' })
          expect(await coupons(inner)).toEqual([])
        })
        expect(await titles(base.db)).toEqual(before)
        refuses = false
        told = []
        await enter(db, async (inner) => {
          await write(ordersOf(inner, rules).order)
          expect(await coupons(inner)).toHaveLength(2)
        })
        expect(mayLackStatements(way) ? told.slice(-2) : told).toEqual(['validate', 'afterWrite'])
        expect(await coupons(base.db)).toEqual([{ code: 'of validate' }, { code: 'of afterWrite' }])
        expect(await titles(base.db)).not.toEqual(before)
      }
    })
  })
})

function ordersOf(db: TestKysely, rules: TestRules) {
  return { order: storeWith(db, shop, rules).resource('order') }
}
