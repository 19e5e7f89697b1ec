import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectRefusals } from './support/expect-refusals.ts'
import type { TestRules } from './support/rules.ts'
import { useShop } from './support/use-shop.ts'

const refused = 'CRUD_ERR_REFUSED'
const invalid = 'CRUD_ERR_INVALID'

/** Rows with certain texts are refused, or their text is invalid. */
const rules: TestRules = {
  order: [
    {
      validate({ before, after, refuse }) {
        if (before?.status === 'paid') refuse('a paid order cannot be changed')
        if (after === null && before.status === 'kept') refuse('a kept order stays')
      },
    },
    {
      validate({ after, refuse, invalid }) {
        if (after?.title === 'no') refuse('no order is called no')
        if (after?.title === 'wrong') invalid('title', 'a wrong title')
      },
    },
    {
      validate({ after, refuse }) {
        if (after?.status === 'no') refuse('no order has the status no')
      },
    },
  ],
  line: {
    validate({ after, refuse, invalid }) {
      if (after?.text === 'no') refuse('no line says no')
      if (after?.text === 'wrong') invalid('text', 'a wrong text')
    },
  },
  note: {
    validate({ before, after, refuse, invalid }) {
      if (after?.text === 'no') refuse('no note says no')
      if (after?.text === 'wrong') invalid('text', 'a wrong note')
      if (after === null && before.text === 'n') refuse('this note stays')
    },
  },
}

describeOnBoth('a refusal of `validate`', (database) => {
  const shop = useShop(database, rules)
  const { service } = shop
  const note = () => shop.order.lines[0].notes[0]

  test('by `refuse` is 409 with its text, and points to the row', async () => {
    const body = await service.refuse('PATCH', shop.path, { title: 'no' }, { code: refused })
    expectRefusals(body, ['', 'no order is called no'])
  })

  test('by `invalid` is 400, and points to the field in the body', async () => {
    const body = await service.refuse('PATCH', shop.path, { title: 'wrong' }, { code: invalid })
    expectRefusals(body, ['/title', 'a wrong title'])
  })

  test('points to a new row at depth 3', async () => {
    const lines = [
      { text: 'x', amount: 1 },
      { text: 'y', amount: 1, notes: [{ text: 'z' }, { text: 'wrong' }] },
    ]
    const order = { title: 'new', customerId: shop.rows.customer.id, lines }
    expectRefusals(await service.refuse('POST', '/api/order', order, { code: invalid }), [
      '/lines/1/notes/1/text',
      'a wrong note',
    ])
  })

  test('points to a changed row at depth 3, wherever it stands in the body', async () => {
    const [first, second] = shop.order.lines
    const lines = [{ id: second.id }, { id: first.id, notes: [{ text: 'new' }, { id: note().id, text: 'no' }] }]
    const body = await service.refuse('PATCH', shop.path, { lines }, { code: refused })
    expectRefusals(body, ['/lines/1/notes/1', 'no note says no'])
  })

  test('points into the body of the row’s own path', async () => {
    const body = await service.refuse('PATCH', shop.notePath, { text: 'wrong' }, { code: invalid })
    expectRefusals(body, ['/text', 'a wrong note'])
    const line = await service.refuse('PUT', shop.linePath(1), { text: 'no', amount: 1 }, { code: refused })
    expectRefusals(line, ['', 'no line says no'])
  })

  test('of a row that is removed says its text', async () => {
    for (const [method, path, body] of [
      ['DELETE', shop.notePath, undefined],
      ['DELETE', shop.linePath(0), undefined],
      ['DELETE', shop.path, undefined],
      ['PUT', shop.path, { title: 'first', customerId: shop.order.customerId }],
    ] as const) {
      const problem = await service.refuse(method, path, body, { code: refused })
      expect(problem.errors).toContainEqual(
        expect.objectContaining({ message: expect.stringContaining('this note stays') }),
      )
    }
  })

  test('of an owner holds for everything below it, whatever path is taken', async () => {
    await shop.all().order.patch(shop.order.id, { status: 'paid' })
    for (const [method, path, body] of [
      ['PATCH', shop.notePath, { text: 'm' }],
      ['DELETE', shop.notePath, undefined],
      ['POST', `${shop.linePath(0)}/note`, { text: 'm' }],
      ['PATCH', shop.linePath(1), { amount: 9 }],
      ['PUT', shop.linePath(1), { text: 'b', amount: 9 }],
      ['DELETE', shop.linePath(1), undefined],
      ['PATCH', shop.path, { lines: [{ id: shop.order.lines[0].id, notes: [{ id: note().id, text: 'm' }] }] }],
      ['PATCH', shop.path, { slip: null }],
      ['PATCH', `/api/order/${shop.order.id}/slip/${shop.order.slip.id}`, { code: 't' }],
      ['DELETE', shop.path, undefined],
      ['DELETE', `/api/product/${shop.rows.product.id}`, undefined],
      ['DELETE', `/api/coupon/${shop.rows.coupon.id}`, undefined],
      ['PATCH', `/api/tag/${shop.rows.blue.id}`, { orders: [{ id: shop.order.id }] }],
      ['DELETE', `/api/tag/${shop.rows.red.id}`, undefined],
    ] as const) {
      const problem = await service.refuse(method, path, body, { code: refused })
      expect(JSON.stringify(problem), `${method} ${path}`).toContain('a paid order cannot be changed')
    }
    expect((await service.put(shop.path, await service.read(shop.path))).status).toBe(200)
  })
})

describeOnBoth('several refusals of `validate`', (database) => {
  const shop = useShop(database, rules)
  const { service } = shop

  test('of several rows are reported together', async () => {
    const lines = [
      { text: 'no', amount: 1 },
      { text: 'fine', amount: 1, notes: [{ text: 'no' }] },
      { text: 'no', amount: 1 },
    ]
    const body = await service.refuse('PATCH', shop.path, { title: 'no', lines }, { code: refused })
    expectRefusals(
      body,
      ['', 'no order is called no'],
      ['/lines/0', 'no line says no'],
      ['/lines/1/notes/0', 'no note says no'],
      ['/lines/2', 'no line says no'],
    )
  })

  test('of several rules for one row are reported together', async () => {
    const body = await service.refuse('PATCH', shop.path, { title: 'no', status: 'no' }, { code: refused })
    expectRefusals(body, ['', 'no order is called no'], ['', 'no order has the status no'])
  })

  test('are 400 with the invalid ones alone, if there are any', async () => {
    const lines = [
      { text: 'no', amount: 1 },
      { text: 'wrong', amount: 1, notes: [{ text: 'wrong' }, { text: 'no' }] },
    ]
    const body = await service.refuse('PATCH', shop.path, { status: 'no', lines }, { code: invalid })
    expectRefusals(body, ['/lines/1/text', 'a wrong text'], ['/lines/1/notes/0/text', 'a wrong note'])
    expect(JSON.stringify(body)).not.toMatch(/says no|status no/)
  })

  test('leave the connection as it was: the next write is stored', async () => {
    await service.refuse('PATCH', shop.path, { title: 'no' }, { code: refused })
    expect(await service.patch(shop.path, { title: 'yes' })).toMatchObject({ status: 200, body: { title: 'yes' } })
  })
})
