import type { CrudOptions } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { ada as adaHeaders, asCaller, caller, type Policies } from '../policies/support/as-caller.ts'
import type { Judged, TestRules } from './support/rules.ts'
import { useShop } from './support/use-shop.ts'

const code = 'CRUD_ERR_REFUSED'

/** What no answer to Ada may contain is in every hidden row and in every refusal of one. */
const policies: Policies = {
  customer: true,
  coupon: true,
  product: true,
  tag: true,
  order: ({ eb }) => eb('title', 'not like', 'zebra%'),
  line: { View: ({ eb }) => eb('text', 'not like', 'zebra%'), Add: true, Edit: true, Delete: true },
}

const refusing =
  (name: string) =>
  ({ before, refuse }: Judged) => {
    if (before !== null && before !== undefined) refuse(`${before[name]} may not change`)
  }

const rules: TestRules = {
  order: { validate: refusing('title') },
  line: { validate: refusing('text') },
}

describeOnBoth('a refusal about a row that the caller may not see', (database) => {
  const shop = useShop(database, rules, { caller, policies })
  const ada = asCaller(shop.service, adaHeaders)
  let hidden: JsonBody
  let coupon: JsonBody

  beforeEach(async () => {
    coupon = await shop.all().coupon.create({ code: 'd' })
    hidden = await shop.all().order.create({ title: 'zebra', customerId: shop.order.customerId, couponId: coupon.id })
  })

  /** Says that something was refused, and nothing of what. */
  function expectNothingSaid(problem: JsonBody): void {
    expect(JSON.stringify(problem)).not.toMatch(/may not change/)
    for (const { pointer } of problem.errors) expect(pointer).toBe('')
  }

  test('has no pointer and no text, where a delete clears its foreign key', async () => {
    expectNothingSaid(await ada.refuse('DELETE', `/api/coupon/${coupon.id}`, undefined, { code }))
  })

  test('has no pointer and no text, where it goes with its owner', async () => {
    const { customerId } = shop.order
    const lines = [{ text: 'zebra line', amount: 1, notes: [{ text: 'x' }] }]
    const other = await shop.all().order.create({ title: 'other', customerId, lines })
    const problem = await ada.refuse('DELETE', `/api/order/${other.id}`, undefined, { code })
    expect(JSON.stringify(problem)).toContain('other may not change')
    for (const { pointer } of problem.errors) expect(pointer).toBe('')
  })

  test('is not told beside those about rows that the caller sees', async () => {
    const path = `/api/coupon/${shop.rows.coupon.id}`
    const alone = await ada.refuse('DELETE', path, undefined, { code })
    expect([alone.detail, alone.errors]).toEqual([
      'first may not change',
      [{ pointer: '', message: 'first may not change' }],
    ])
    await shop.all().order.patch(hidden.id, { couponId: shop.rows.coupon.id })
    expect(await ada.refuse('DELETE', path, undefined, { code })).toEqual(alone)
  })

  test('is as it is for any other row, for a caller who sees it', async () => {
    const store = shop.all()
    await store.order.patch(hidden.id, { title: 'second' })
    const problem = await ada.refuse('DELETE', `/api/coupon/${coupon.id}`, undefined, { code })
    expect(JSON.stringify(problem)).toContain('second may not change')
  })
})

describeOnBoth('an invalid hidden row', (database) => {
  const shop = useShop(
    database,
    {
      order: {
        validate({ before, after, invalid }) {
          if (after?.couponId === null) invalid('couponId', `${before?.title} needs its coupon`)
        },
      },
    },
    { caller, policies },
  )
  const ada = asCaller(shop.service, adaHeaders)

  test('is not told beside one that the caller sees', async () => {
    const path = `/api/coupon/${shop.rows.coupon.id}`
    const invalid = { code: 'CRUD_ERR_INVALID' } as const
    const alone = await ada.refuse('DELETE', path, undefined, invalid)
    const { customerId, couponId } = shop.order
    await shop.all().order.create({ title: 'zebra', customerId, couponId })
    expect(await ada.refuse('DELETE', path, undefined, invalid)).toEqual(alone)
  })

  test('is refused, with no pointer and no text', async () => {
    await shop.all().order.patch(shop.order.id, { title: 'zebra' })
    const { status, body } = await ada.request('DELETE', `/api/coupon/${shop.rows.coupon.id}`)
    expect([400, 409]).toContain(status)
    for (const { pointer } of body.errors) expect(pointer).toBe('')
  })
})

describeOnBoth('a refusal about a row of a resource that `authorize` does not show', (database) => {
  const authorize: CrudOptions['authorize'] = (_, { action, resource }) => action !== 'View' || resource === 'coupon'
  const shop = useShop(database, { order: { validate: refusing('title') } }, { authorize })

  test('has no pointer and no text, where a delete clears its foreign key', async () => {
    const path = `/api/coupon/${shop.rows.coupon.id}`
    const problem = await shop.service.refuse('DELETE', path, undefined, { code })
    expect(JSON.stringify(problem)).not.toMatch(/first/)
    for (const { pointer } of problem.errors) expect(pointer).toBe('')
  })

  test('has no pointer and no text, where it is the record above', async () => {
    const problem = await shop.service.refuse('PATCH', shop.linePath(0), { amount: 9 }, { code })
    expect(JSON.stringify(problem)).not.toMatch(/first/)
  })
})
