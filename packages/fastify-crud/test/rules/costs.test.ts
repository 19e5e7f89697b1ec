import { createStore, createTables, keepStatements } from 'fastify-crud'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import type { TestApp } from '../../../../test/support/app.ts'
import { countMessages } from '../../../../test/support/count-messages.ts'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
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

describeOnDatabases('rules of another resource', (database) => {
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

test('rules of another resource cost no round trip on PostgreSQL', async () => {
  const open = await postgres.open()
  const pool = new pg.Pool({ connectionString: open.location, max: 1 })
  const messages = countMessages(pool)
  const db: TestKysely = new Kysely({ dialect: new PostgresDialect({ pool: keepStatements(pool) }) })
  try {
    await createTables(open.db, shop)
    const counted = async (rules?: TestRules) => {
      const store = rules === undefined ? createStore({ db, resources: shop }) : storeWith(db, shop, rules)
      const orders = store.resource('order') as unknown as AnyRecords
      const counts: number[] = []
      const count = async (work: () => Promise<unknown>) => {
        const before = messages()
        await work()
        counts.push(messages() - before)
      }
      await open.empty()
      const { customer } = await fillShop(open.db)
      const body = { title: 'a', customerId: customer.id, lines: [{ text: 'x', amount: 1 }] }
      const { id } = await orders.create(body)
      // `begin` is a message of its own on a connection that has not answered for a while.
      await count(() => orders.find(id))
      await count(() => orders.create(body))
      await count(() => orders.find(id))
      await count(() => orders.patch(id, { title: 'b' }))
      await count(() => orders.find(id))
      await count(() => orders.replace(id, { ...body, lines: [] }))
      await count(() => orders.find(id))
      await count(() => orders.delete(id))
      return counts
    }
    // The first round has what a connection learns, and on a busy machine any may have a `begin` more.
    const least = async (rules?: TestRules) => {
      const rounds = [await counted(rules), await counted(rules), await counted(rules)]
      return rounds[0]?.map((_, index) => Math.min(...rounds.map((counts) => counts[index] as number)))
    }
    const without = await least()
    for (const rules of [{}, { customer: { validate: () => {}, afterWrite: () => {} } }]) {
      expect(await least(rules)).toEqual(without)
    }
  } finally {
    await db.destroy()
    await open.close()
  }
})
