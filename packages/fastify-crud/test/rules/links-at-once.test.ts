import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { Judged, TestRules } from './support/rules.ts'
import { useShop } from './support/use-shop.ts'

const AT_ONCE = 5

describeOnBoth('an invariant of what others link to', (database) => {
  const rules: TestRules = {
    order: {
      invariant: {
        reads: ['tags'],
        test({ after, refuse }) {
          if (after.tags.length < 1) refuse('an order has a tag')
          if (after.tags.length > 3) refuse('an order has at most three tags')
        },
      },
    },
  }
  const shop = useShop(database, rules)
  const tagsOf = async () => (await shop.all().order.find(shop.order.id)).tags.length

  test('holds when several writers link to the record from the other end at once', async () => {
    const tags = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => shop.all().tag.create({ name: `t${n}` })))
    const orders = [{ id: shop.order.id }]
    const answers = await Promise.all(tags.map(({ id }) => shop.service.patch(`/api/tag/${id}`, { orders })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409, 409])
    expect(await tagsOf()).toBe(3)
  })

  test('holds when all that the record links to is deleted at once', async () => {
    const { red, blue } = shop.rows
    await shop.all().order.patch(shop.order.id, { tags: [{ id: red.id }, { id: blue.id }] })
    const answers = await Promise.all([red, blue].map(({ id }) => shop.service.delete(`/api/tag/${id}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409])
    expect(await tagsOf()).toBe(1)
  })
})

describeOnBoth('rules of records whose foreign key a delete clears', (database) => {
  const told = new Map<number, unknown>()
  const rules: TestRules = { order: { afterWrite: ({ after }: Judged) => void told.set(after.id, after.couponId) } }
  const shop = useShop(database, rules)

  test('are told of each, also of those that others write at the same time', async () => {
    const { customer } = shop.rows
    for (let round = 0; round < 5; round++) {
      const coupon = await shop.all().coupon.create({ code: `c${round}` })
      const body = { title: 'new', customerId: customer.id, couponId: coupon.id }
      const adding = Array.from({ length: AT_ONCE }, () => shop.service.post('/api/order', body))
      await Promise.all([...adding, shop.service.delete(`/api/coupon/${coupon.id}`)])
    }
    const { rows } = await shop.all().order.list({ limit: 100 })
    const stored = rows.flatMap(({ id, couponId }) => (told.has(Number(id)) ? [[Number(id), couponId]] : []))
    expect(stored).toEqual(stored.map(([id]) => [id, told.get(id as number)]))
  })
})
