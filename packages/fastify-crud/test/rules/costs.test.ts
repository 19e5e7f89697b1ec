import { createStore, createTables, keepStatements } from 'fastify-crud'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from '../../../../test/support/app.ts'
import { countMessages } from '../../../../test/support/count-messages.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'
import type { AnyRecords } from './support/crud-of.ts'
import type { TestRules } from './support/rules.ts'
import { fillShop, shop } from './support/shop.ts'
import { storeWith } from './support/store-with.ts'
import { useShop } from './support/use-shop.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

/** A write on a shop; the path is that of an order. */
type Write = (service: TestApp, path: string) => Promise<unknown>

const writes: Readonly<Record<string, Write>> = {
  'a PATCH of plain fields': (service, path) => service.patch(path, { title: 'second' }),
  'a PATCH with children': (service, path) => service.patch(path, { lines: [{ text: 'x', amount: 1 }] }),
  'a PUT': async (service, path) => service.put(path, { ...(await service.read(path)), title: 'third', lines: [] }),
  'a write below': (service, path) => service.post(`${path}/line`, { text: 'y', amount: 2 }),
  'a POST': (service) => service.post('/api/coupon', { code: 'x' }),
  'a DELETE': (service, path) => service.delete(path),
}

describeOnBoth('rules of another resource', (database) => {
  const bare = useShop(database, {})
  const ruled = useShop(database, { customer: { validate: () => {}, afterWrite: () => {} } })

  for (const [title, write] of Object.entries(writes)) {
    test(`cost nothing: ${title} sends the same statements as without rules`, async () => {
      const without = await bare.service.statements(() => write(bare.service, bare.path))
      const withRules = await ruled.service.statements(() => write(ruled.service, ruled.path))
      expect(withRules).toEqual(without)
    })
  }

  test('cost reads nothing', async () => {
    const without = await bare.service.statements(() => bare.service.read(bare.path))
    expect(await ruled.service.statements(() => ruled.service.read(ruled.path))).toEqual(without)
  })
})

describe('on PostgreSQL, in round trips', () => {
  let open: OpenDatabase
  let db: TestKysely
  let messages: () => number

  beforeAll(async () => {
    open = await postgres.open()
    const pool = new pg.Pool({ connectionString: open.location, max: 1 })
    messages = countMessages(pool)
    db = new Kysely({ dialect: new PostgresDialect({ pool: keepStatements(pool) }) })
    await createTables(open.db, shop)
  })

  afterAll(async () => {
    await db.destroy()
    await open.close()
  })

  test('rules of another resource cost none', async () => {
    const without = await roundTrips()
    for (const rules of [{}, { customer: { validate: () => {}, afterWrite: () => {} } }]) {
      expect(await roundTrips(rules)).toEqual(without)
    }
  })

  test('a rule that checks costs one where nothing had to be read: a PATCH of plain fields. It costs no other write any', async () => {
    const without = await roundTrips()
    const checked = { order: { validate: () => {} }, line: { validate: () => {} } }
    expect(await roundTrips(checked)).toEqual({
      ...without,
      patch: without.patch + 1,
      unchanged: without.unchanged + 1,
    })
  })

  test('a PATCH that changes nothing takes as many as one that changes something', async () => {
    const { patch, unchanged } = await roundTrips()
    expect(unchanged).toBe(patch)
  })

  /** How many each kind of write takes. */
  async function roundTrips(rules?: TestRules): Promise<Counts> {
    // The first round has what a connection learns, and on a busy machine any may have a `begin` more.
    const rounds = [await countOnce(rules), await countOnce(rules), await countOnce(rules)]
    const least = (kind: keyof Counts) => Math.min(...rounds.map((counts) => counts[kind]))
    return {
      post: least('post'),
      patch: least('patch'),
      put: least('put'),
      delete: least('delete'),
      unchanged: least('unchanged'),
    }
  }

  async function countOnce(rules: TestRules | undefined): Promise<Counts> {
    const store = rules === undefined ? createStore({ db, resources: shop }) : storeWith(db, shop, rules)
    const orders = store.resource('order') as unknown as AnyRecords
    await open.empty()
    const { customer } = await fillShop(open.db)
    const body = { title: 'a', customerId: customer.id, lines: [{ text: 'x', amount: 1 }] }
    const { id } = await orders.create(body)
    const count = async (work: () => Promise<unknown>) => {
      // `begin` is a message of its own on a connection that has not answered for a while.
      await orders.find(id)
      const before = messages()
      await work()
      return messages() - before
    }
    return {
      post: await count(() => orders.create(body)),
      patch: await count(() => orders.patch(id, { title: 'b' })),
      unchanged: await count(() => orders.patch(id, { title: 'b' })),
      put: await count(() => orders.replace(id, { ...body, lines: [] })),
      delete: await count(() => orders.delete(id)),
    }
  }
})

type Counts = Readonly<Record<'post' | 'patch' | 'unchanged' | 'put' | 'delete', number>>
