import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'
import { useCommits } from './support/commits.ts'
import { crudOf } from './support/crud-of.ts'
import type { TestRules } from './support/rules.ts'
import { shop } from './support/shop.ts'
import { storeWith } from './support/store-with.ts'
import { useShop } from './support/use-shop.ts'

const refused = { code: 'CRUD_ERR_REFUSED' }

describeOnBoth("in an application's own transaction", (database) => {
  const commits = useCommits()
  const kept: string[] = []
  const rules: TestRules = {
    customer: [
      {
        validate({ after, refuse }) {
          if (after?.name === 'bad') refuse('no customer is called bad')
        },
      },
      {
        invariant: {
          reads: ['name'],
          test({ after, refuse }) {
            kept.push(after.name)
            if (after.name === 'broken') refuse('no customer is broken')
          },
        },
      },
      {
        async afterWrite({ after, db }) {
          await db
            .insertInto('coupon')
            .values({ code: `for ${after?.name}` })
            .execute()
          if (after?.name === 'thrown') throw new Error('thrown')
        },
      },
      commits.rule,
    ],
  }
  const filled = useShop(database, rules)
  const { service } = filled
  const names = async () => (await filled.all().customer.list()).rows.map(({ name }) => name)
  const codes = async () => (await filled.all().coupon.list()).rows.map(({ code }) => code)
  beforeEach(() => void kept.splice(0))

  const ways = {
    'the store of the plugin, by `in`': (db: TestKysely) => crudOf(service).in(db),
    'a store of its own': (db: TestKysely) => storeWith(db, shop, rules),
  }

  for (const [way, storeIn] of Object.entries(ways)) {
    test(`${way}: rules run, and a refused write leaves nothing while the transaction goes on`, async () => {
      await service.db.transaction().execute(async (trx) => {
        const customers = storeIn(trx).resource('customer')
        await customers.create({ name: 'one' })
        for (const name of ['bad', 'broken']) {
          await expect(customers.create({ name })).rejects.toMatchObject(refused)
        }
        await expect(customers.create({ name: 'thrown' })).rejects.toThrow()
        await customers.create({ name: 'two' })
      })
      expect(await names()).toEqual(['Ada', 'Bo', 'one', 'two'])
      expect(await codes()).toEqual(['c', 'for one', 'for two'])
    })

    test(`${way}: invariants run at each call`, async () => {
      await service.db.transaction().execute(async (trx) => {
        const customers = storeIn(trx).resource('customer')
        const { id } = await customers.create({ name: 'one' })
        expect(kept).toEqual(['one'])
        await customers.patch(id, { name: 'two' })
        expect(kept).toEqual(['one', 'two'])
      })
    })

    test(`${way}: \`afterCommit\` does not run, whether it is committed or rolled back`, async () => {
      const { db } = service
      await db.transaction().execute(async (trx) => {
        await storeIn(trx).resource('customer').create({ name: 'one' })
      })
      const rolledBack = db.transaction().execute(async (trx) => {
        await storeIn(trx).resource('customer').create({ name: 'two' })
        throw new Error('rolled back')
      })
      await expect(rolledBack).rejects.toThrow('rolled back')
      await service.add('/api/customer', { name: 'by HTTP' })
      await commits.until(1)
      const told = commits.calls.flatMap(({ rows }) => rows.map(({ after }) => after.name))
      expect(told).toEqual(['by HTTP'])
      expect(await names()).toEqual(['Ada', 'Bo', 'one', 'by HTTP'])
    })
  }
})
