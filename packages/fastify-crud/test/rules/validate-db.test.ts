import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { asCaller, caller } from '../policies/support/as-caller.ts'
import type { Judged, TestRules } from './support/rules.ts'
import { useShop } from './support/use-shop.ts'

describeOnBoth('`db` in `validate`', (database) => {
  let validate: (judged: Judged) => unknown = () => {}
  const rules: TestRules = {
    order: { validate: (judged: Judged) => validate(judged) },
    customer: {
      validate({ refuse }) {
        refuse('no customer changes')
      },
    },
  }
  const policies = { customer: false, coupon: true, product: true, tag: true, order: true }
  const shop = useShop(database, rules, { caller, policies })
  const ada = asCaller(shop.service, { user: 1 })

  beforeEach(() => {
    validate = () => {}
  })

  test('is a transaction of Kysely’s', async () => {
    const seen: boolean[] = []
    validate = ({ db }) => void seen.push(db.isTransaction)
    expect((await ada.patch(shop.path, { title: 'second' })).status).toBe(200)
    expect(seen).toEqual([true])
  })

  test('has what was there before the first statement of the write', async () => {
    let title: unknown
    validate = async ({ db }) => {
      const row = await db
        .selectFrom('orders')
        .select('title')
        .where('id', '=', shop.order.id)
        .executeTakeFirstOrThrow()
      title = row.title
    }
    await ada.patch(shop.path, { title: 'second' })
    expect(title).toBe('first')
  })

  test('has what was there before, even where the write inserts and deletes', async () => {
    let texts: unknown
    validate = async ({ db }) => {
      texts = await db.selectFrom('line').select('text').orderBy('id').execute()
    }
    const [first] = shop.order.lines
    await ada.put(shop.path, {
      ...shop.order,
      lines: [
        { ...first, text: 'A' },
        { text: 'c', amount: 3 },
      ],
    })
    expect(texts).toEqual([{ text: 'a' }, { text: 'b' }])
  })

  test('sees all rows, whatever the caller may see', async () => {
    const names: unknown[] = []
    validate = async ({ db }) => {
      names.push(...(await db.selectFrom('customer').select('name').orderBy('id').execute()))
    }
    expect((await ada.patch(shop.path, { title: 'second' })).status).toBe(200)
    expect(names).toEqual([{ name: 'Ada' }, { name: 'Bo' }])
  })

  test('writes past the rules, and its writes are committed with the write', async () => {
    validate = async ({ db }) => {
      await db.updateTable('customer').set({ name: 'Cy' }).where('id', '=', shop.order.customerId).execute()
    }
    expect((await ada.patch(shop.path, { title: 'second' })).status).toBe(200)
    expect(await shop.all().customer.find(shop.order.customerId)).toMatchObject({ name: 'Cy' })
  })

  test('has its writes rolled back with the write', async () => {
    validate = async ({ db, refuse }) => {
      await db.updateTable('customer').set({ name: 'Cy' }).execute()
      refuse('never mind')
    }
    await ada.refuse('PATCH', shop.path, { title: 'second' }, { code: 'CRUD_ERR_REFUSED' })
  })
})

describeOnBoth('`validate` that is asynchronous', (database) => {
  const turns: string[] = []
  const rules: TestRules = {
    order: {
      async validate({ db, after, refuse }) {
        turns.push('begins')
        const { n } = await db
          .selectFrom('line')
          .select(({ fn }) => fn.countAll().as('n'))
          .where('orderId', '=', after.id)
          .executeTakeFirstOrThrow()
        await new Promise((resolve) => setImmediate(resolve))
        turns.push('ends')
        if (Number(n) === 2) refuse('two lines are there already')
      },
    },
  }
  const shop = useShop(database, rules)
  beforeEach(() => void turns.splice(0))

  test('is awaited', async () => {
    const code = 'CRUD_ERR_REFUSED'
    await shop.service.refuse('PATCH', shop.path, { lines: [{ text: 'c', amount: 1 }] }, { code })
    expect(turns).toEqual(['begins', 'ends'])
    expect((await shop.all().order.find(shop.order.id)).lines).toHaveLength(2)
  })
})

describeOnBoth('`validate` that throws', (database) => {
  const rules: TestRules = {
    order: {
      validate() {
        throw new Error('the secret bug')
      },
    },
  }
  const shop = useShop(database, rules)

  test('is a 500 that says nothing of it, and nothing is stored', async () => {
    const body = await shop.service.refuse('PATCH', shop.path, { title: 'x' }, { code: 'CRUD_ERR_INTERNAL' })
    expect(JSON.stringify(body)).not.toContain('secret')
  })
})
