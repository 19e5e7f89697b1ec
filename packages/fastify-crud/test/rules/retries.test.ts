import { describe, expect, test } from 'vitest'
import { buildApp } from '../../../../test/support/app.ts'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { failFirstInsert, mishaps } from './support/fail-first-insert.ts'
import { type Committed, type TestRules, withRules } from './support/rules.ts'
import { fillShop, shop } from './support/shop.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

/** What runs how often, by part, and which new ids `afterCommit` is told of. */
function counting() {
  const runs = { validate: 0, invariant: 0, afterWrite: 0 }
  const committed: number[] = []
  const rules: TestRules = {
    order: {
      validate: () => void runs.validate++,
      invariant: { reads: ['title'], test: () => void runs.invariant++ },
      async afterWrite({ db, after }) {
        runs.afterWrite++
        await db
          .insertInto('coupon')
          .values({ code: `of ${after.title}` })
          .execute()
      },
      afterCommit: ({ rows }: Committed) => void committed.push(...rows.map(({ after }) => after.id)),
    },
  }
  return { runs, committed, rules }
}

describe.each(Object.keys(mishaps) as (keyof typeof mishaps)[])('a write on PostgreSQL that meets %s', (mishap) => {
  test('runs its rules again, is stored once, and `afterCommit` is called once', async () => {
    const { runs, committed, rules } = counting()
    const service = await buildApp(postgres, shop, withRules(rules))
    try {
      const { customer, product } = await fillShop(service.db)
      await failFirstInsert(service.db, 'line', mishap)
      const lines = [{ text: 'x', amount: 1, productId: product.id }]
      const answer = await service.post('/api/order', { title: 'new', customerId: customer.id, lines })
      await service.fastify.close()
      const stored = await service.db.selectFrom('orders').select('id').where('title', '=', 'new').execute()
      const coupons = await service.db.selectFrom('coupon').select('id').where('code', '=', 'of new').execute()
      expect(stored).toHaveLength(answer.status === 201 ? 1 : 0)
      expect(coupons).toHaveLength(stored.length)
      expect(committed).toEqual(stored.map(({ id }) => Number(id)))
      if (mishap !== 'a lost connection') {
        expect(answer.status).toBe(201)
        expect(runs.validate).toBeGreaterThanOrEqual(2)
        expect(Math.min(runs.invariant, runs.afterWrite)).toBeGreaterThanOrEqual(1)
      }
    } finally {
      await service.close()
    }
  })
})
