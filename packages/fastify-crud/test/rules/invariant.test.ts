import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectRefusals } from './support/expect-refusals.ts'
import type { Kept } from './support/rules.ts'
import { useShop } from './support/use-shop.ts'

const code = 'CRUD_ERR_REFUSED'
const atMostTen = ({ after, refuse }: Kept) => {
  const total = (after?.lines ?? []).reduce((sum: number, line: JsonBody) => sum + line.amount, 0)
  if (total > 10) refuse('at most ten')
}

describeOnBoth('an invariant', (database) => {
  const shop = useShop(database, { order: { invariant: { reads: ['lines.amount'], test: atMostTen } } })
  const { service } = shop

  test('lets a write through that keeps it, by every path', async () => {
    const [first, second] = shop.order.lines
    for (const [method, path, body, status] of [
      ['PATCH', shop.linePath(0), { amount: 8 }, 200],
      ['PUT', shop.linePath(0), { text: 'a', amount: 7 }, 200],
      ['POST', `${shop.path}/line`, { text: 'c', amount: 1 }, 201],
      ['PATCH', shop.path, { lines: [{ id: second.id, amount: 1 }] }, 200],
      [
        'PUT',
        shop.path,
        { title: 't', customerId: shop.order.customerId, lines: [{ id: first.id, text: 'a', amount: 10 }] },
        200,
      ],
      ['DELETE', shop.linePath(0), undefined, 204],
      ['DELETE', shop.path, undefined, 204],
    ] as const) {
      const answer = await service.request(method, path, body)
      expect([method, path, answer.status]).toEqual([method, path, status])
    }
  })

  test('rolls a write back that breaks it, by every path', async () => {
    const [first, second] = shop.order.lines
    const { customerId } = shop.order
    const lines = [first, second, { text: 'c', amount: 8 }]
    for (const [method, path, body] of [
      ['PATCH', shop.linePath(0), { amount: 9 }],
      ['PUT', shop.linePath(0), { text: 'a', amount: 9 }],
      ['POST', `${shop.path}/line`, { text: 'c', amount: 8 }],
      ['PATCH', shop.path, { lines: [{ id: second.id, amount: 10 }] }],
      [
        'PATCH',
        shop.path,
        {
          lines: [
            { text: 'c', amount: 4 },
            { text: 'd', amount: 4 },
          ],
        },
      ],
      ['PUT', shop.path, { title: 'first', customerId, lines }],
      ['POST', '/api/order', { title: 'new', customerId, lines: [{ text: 'a', amount: 11 }] }],
      ['POST', '/api/order/4711', { title: 'new', customerId, lines: [{ text: 'a', amount: 11 }] }],
    ] as const) {
      const problem = await service.refuse(method, path, body, { code })
      expect(JSON.stringify(problem), `${method} ${path}`).toContain('at most ten')
    }
  })

  test('that refuses a record in the body points to it', async () => {
    const problem = await service.refuse('PATCH', shop.path, { lines: [{ text: 'c', amount: 8 }] }, { code })
    expectRefusals(problem, ['', 'at most ten'])
  })

  test('that holds again after a write need not hold before it', async () => {
    await shop.all().order.owned(shop.order.id, 'lines').create({ text: 'c', amount: 20 })
    await service.refuse('PATCH', shop.linePath(0), { amount: 2 }, { code })
    const { lines } = await shop.all().order.find(shop.order.id)
    expect((await service.delete(`${shop.path}/line/${lines[2]?.id}`)).status).toBe(204)
  })

  test('leaves the connection as it was: the next write is stored', async () => {
    await service.refuse('PATCH', shop.linePath(0), { amount: 9 }, { code })
    expect((await service.patch(shop.linePath(0), { amount: 8 })).status).toBe(200)
    expect(await service.read(shop.linePath(0))).toMatchObject({ amount: 8 })
  })
})

describeOnBoth('an invariant that calls `invalid`', (database) => {
  const shop = useShop(database, {
    order: {
      invariant: {
        reads: ['title', 'lines.amount'],
        async test({ after, invalid }) {
          await Promise.resolve()
          if (after.title !== `${after.lines.length} lines`) invalid('title', 'says how many lines there are')
        },
      },
    },
  })

  test('is 400 with the pointer of the field, and the write is rolled back', async () => {
    const { service, path } = shop
    const lines = [{ text: 'c', amount: 1 }]
    const problem = await service.refuse('PATCH', path, { title: '2 lines', lines }, { code: 'CRUD_ERR_INVALID' })
    expectRefusals(problem, ['/title', 'says how many lines there are'])
    expect((await service.patch(path, { title: '3 lines', lines })).status).toBe(200)
  })
})

describeOnBoth('invariants of several records', (database) => {
  const shop = useShop(database, {
    order: { invariant: { reads: ['lines.amount'], test: atMostTen } },
    line: {
      invariant: {
        reads: ['amount', 'notes'],
        test({ after, refuse }) {
          if (after.amount > 5 && after.notes.length === 0) refuse('large lines have a note')
        },
      },
    },
  })

  test('are all reported together', async () => {
    const lines = [
      { id: shop.order.lines[1].id, amount: 9 },
      { text: 'c', amount: 6 },
    ]
    const problem = await shop.service.refuse('PATCH', shop.path, { lines }, { code })
    expectRefusals(
      problem,
      ['', 'at most ten'],
      ['/lines/0', 'large lines have a note'],
      ['/lines/1', 'large lines have a note'],
    )
  })
})
