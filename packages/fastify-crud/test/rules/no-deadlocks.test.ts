import { createTables } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { otherWriter } from '../../../../test/support/other-writer.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'
import type { AnyRecords, AnyStore } from './support/crud-of.ts'
import type { Judged, TestRules } from './support/rules.ts'
import { fillShop, type ShopRows, shop } from './support/shop.ts'
import { storeWith } from './support/store-with.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

/** PostgreSQL has ended a writer that waited in a circle. */
const DEADLOCK = '40P01'
const ROUNDS = 25

type Log = (event: { readonly level: string; readonly error?: unknown }) => void

const ways: readonly [title: string, open: (url: string, log: Log) => TestKysely][] = [
  ['openPostgres', (url, log) => openPostgres(url, { max: 12, statement_timeout: 0, lock_timeout: 0, log })],
  [
    'plain pool',
    (url, log) => {
      const dialect = new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 12 }) })
      return new Kysely({ dialect, log })
    },
  ],
]

describe.each(ways)('writers with rules that meet (%s)', (_, openWith) => {
  let open: OpenDatabase
  let db: TestKysely
  let rows: ShopRows
  const codes: unknown[] = []

  beforeAll(async () => {
    open = await postgres.open()
    await createTables(open.db, shop)
    db = openWith(open.location, ({ level, error }) => {
      if (level === 'error') codes.push((error as { code?: unknown }).code)
    })
  })

  beforeEach(async () => {
    await open.empty()
    rows = await fillShop(open.db)
    codes.length = 0
  })

  afterAll(async () => {
    await db.destroy()
    await open.close()
  })

  const records = (store: AnyStore, key: string) => store.resource(key) as unknown as AnyRecords
  const storeOf = (rules: TestRules) => storeWith(db, shop, rules)

  test('at both ends of a link: PUT from either end', async () => {
    const store = storeOf({ order: { validate: () => {} }, tag: { validate: () => {} } })
    const [orders, tags] = [records(store, 'order'), records(store, 'tag')]
    const { order, red, blue, customer } = rows
    const ofOrder = { title: 'x', customerId: customer.id, lines: [] }
    const client = async (number: number) => {
      for (let round = 0; round < ROUNDS; round++) {
        const tagged = (round + number) % 2 === 0 ? [{ id: red.id }, { id: blue.id }] : []
        const ordered = (round + number) % 3 === 0 ? [] : [{ id: order.id }]
        if (number % 2 === 0) await orders.replace(order.id, { ...ofOrder, tags: tagged })
        else await tags.replace(number % 4 === 1 ? red.id : blue.id, { name: `${round}`, orders: ordered })
      }
    }
    await Promise.all([client(0), client(1), client(2), client(3)])
    expect(codes).not.toContain(DEADLOCK)
  })

  test('with rules that lock the records of others: PATCH of either', async () => {
    const { order, product } = rows
    const store = storeOf({
      order: { validate: ({ lock }: Judged) => lock('product', [product.id]) },
      product: { validate: ({ lock }: Judged) => lock('order', [order.id]) },
    })
    const [orders, products] = [records(store, 'order'), records(store, 'product')]
    const client = async (number: number) => {
      for (let round = 0; round < ROUNDS; round++) {
        if (number % 2 === 0) await orders.patch(order.id, { title: `${number} ${round}` })
        else await products.patch(product.id, { name: `${number} ${round}` })
      }
    }
    await Promise.all([client(0), client(1), client(2), client(3)])
    expect(codes).not.toContain(DEADLOCK)
  })

  test('with a rule that catches the error of its lock: it has the lock when the write is stored', async () => {
    const { order, product } = rows
    let runs = 0
    const store = storeOf({
      order: {
        async validate({ lock }: Judged) {
          runs++
          await lock('product', [product.id]).catch(() => {})
        },
      },
    })
    const other = await otherWriter(open)
    await other.run(`update product set name = 'theirs' where id = ${product.id}`)
    const patched = records(store, 'order').patch(order.id, { title: 'mine' })
    await other.untilAwaited()
    await other.end('commit')
    expect(await patched).toMatchObject({ title: 'mine' })
    expect(runs).toBe(2)
  })

  test('with a rule that locks what is not there, or nothing: its write is tried once', async () => {
    let runs = 0
    const store = storeOf({
      order: {
        async validate({ lock }: Judged) {
          runs++
          await lock('product', [999_999, rows.product.id])
          await lock('line', [null as never])
        },
      },
    })
    expect(await records(store, 'order').patch(rows.order.id, { title: 'mine' })).toMatchObject({ title: 'mine' })
    expect(runs).toBe(1)
  })
})
