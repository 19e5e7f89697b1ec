import { describe, expect, test } from 'vitest'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { crudOf } from './support/crud-of.ts'
import { failFirstInsert } from './support/fail-first-insert.ts'
import { useShop } from './support/use-shop.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

describe("a write in an application's own transaction on PostgreSQL", () => {
  let runs = 0
  const shop = useShop(postgres, { customer: { validate: () => void runs++ } })

  test('is not tried again: the application gets the error, and the savepoint keeps the rest', async () => {
    const { db } = shop.service
    await failFirstInsert(db, 'customer', 'a serialization failure')
    await db.transaction().execute(async (trx) => {
      await trx.insertInto('coupon').values({ code: 'before' }).execute()
      const customers = crudOf(shop.service).in(trx).resource('customer')
      await expect(customers.create({ name: 'one' })).rejects.toThrow()
      expect(runs).toBe(1)
      await customers.create({ name: 'two' })
    })
    const { rows } = await shop.all().customer.list()
    expect(rows.map(({ name }) => name)).toEqual(['Ada', 'Bo', 'two'])
    expect((await shop.all().coupon.list()).rows).toMatchObject([{ code: 'c' }, { code: 'before' }])
  })
})
