import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { useCommits } from './support/commits.ts'
import { expectRefusals } from './support/expect-refusals.ts'
import type { TestRules } from './support/rules.ts'
import { shop } from './support/shop.ts'
import { storeWith } from './support/store-with.ts'
import { useShop } from './support/use-shop.ts'

/** Rules that refuse by text, and note which parts have run. */
function rulesNotedIn(runs: string[]): TestRules {
  return {
    order: {
      validate({ before, refuse }) {
        runs.push('order validate')
        if (before?.status === 'paid') refuse('a paid order cannot be changed')
      },
      invariant: {
        reads: ['lines.amount'],
        test({ after, refuse }) {
          runs.push('order invariant')
          const total = (after?.lines ?? []).reduce((sum: number, { amount }: JsonBody) => sum + amount, 0)
          if (total > 10) refuse('at most ten')
        },
      },
    },
    note: {
      validate({ after, invalid }) {
        runs.push('note validate')
        if (after?.text === 'wrong') invalid('text', 'a wrong note')
      },
      afterWrite({ action, after }) {
        runs.push(`note ${action} ${typeof after?.id}`)
      },
    },
  }
}

describeOnBoth('the store with rules, beside the routes with the same rules', (database) => {
  const runs: string[] = []
  const rules = rulesNotedIn(runs)
  const filled = useShop(database, rules)
  const { service } = filled
  const store = () => storeWith(service.db, shop, rules)
  beforeEach(() => void runs.splice(0))

  /** Sends a request, then does the same in the store: both must be refused so, and run the same parts of the rules. */
  async function refusedAlike(
    request: readonly [method: string, path: string, body?: unknown],
    call: () => Promise<unknown>,
  ): Promise<JsonBody> {
    const before = await service.snapshot()
    const { body: problem } = await service.request(...request)
    const overHttp = runs.splice(0)
    const error = await call().then(
      () => expect.fail('the store has done it'),
      (reason: JsonBody) => reason,
    )
    expect({ code: error.code, errors: error.errors }).toEqual({ code: problem.code, errors: problem.errors })
    expect(runs.splice(0)).toEqual(overHttp)
    expect(await service.snapshot()).toEqual(before)
    return problem
  }

  test('refuses the same by `validate`, at every depth', async () => {
    const { id, lines } = filled.order
    const notes = [{ text: 'fine' }, { text: 'wrong' }]
    const patch = { lines: [{ id: lines[1].id, notes }] }
    const problem = await refusedAlike(['PATCH', filled.path, patch], () => store().resource('order').patch(id, patch))
    expectRefusals(problem, ['/lines/0/notes/1/text', 'a wrong note'])
    await filled.all().order.patch(id, { status: 'paid' })
    const refused = await refusedAlike(['DELETE', filled.notePath], () =>
      store().resource('order').owned(id, 'lines').owned(lines[0].id, 'notes').delete(lines[0].notes[0].id),
    )
    expect(JSON.stringify(refused)).toContain('a paid order cannot be changed')
  })

  test('refuses the same by an invariant', async () => {
    const { id, customerId } = filled.order
    const body = { title: 't', customerId, lines: [{ text: 'x', amount: 11 }] }
    await refusedAlike(['PUT', filled.path, body], () => store().resource('order').replace(id, body))
    await refusedAlike(['POST', '/api/order', body], () => store().resource('order').create(body))
    const line = { text: 'x', amount: 8 }
    await refusedAlike(['POST', `${filled.path}/line`, line], () =>
      store().resource('order').owned(id, 'lines').create(line),
    )
  })

  test('runs the same parts for a write that succeeds', async () => {
    const patch = { lines: [{ text: 'x', amount: 1, notes: [{ text: 'y' }] }] }
    expect((await service.patch(filled.path, patch)).status).toBe(200)
    const overHttp = runs.splice(0)
    await store().resource('order').patch(filled.order.id, patch)
    expect(runs).toEqual(overHttp)
    expect(overHttp).toContain('note Add number')
  })
})

describeOnBoth('the store with rules', (database) => {
  const commits = useCommits()
  const callers: unknown[] = []
  const rules: TestRules = {
    customer: [{ validate: ({ caller }) => void callers.push(caller) }, commits.rule],
  }
  const filled = useShop(database, {})
  beforeEach(() => void callers.splice(0))

  test('tells `afterCommit` of each write, once', async () => {
    const customers = storeWith(filled.service.db, shop, rules).resource('customer')
    const { id } = await customers.create({ name: 'Cy' })
    await customers.patch(id, { name: 'Di' })
    await customers.delete(id)
    await commits.until(3)
    const told = commits.calls.flatMap(({ rows }) => rows.map(({ action }) => action))
    expect(told).toEqual(['Add', 'Edit', 'Delete'])
  })

  test('tells its rules for whom it is', async () => {
    const policies = { customer: true, coupon: true, product: true, tag: true, order: true }
    const store = storeWith(filled.service.db, shop, rules, { policies })
    await store.as({ id: 3 }).resource('customer').create({ name: 'Cy' })
    expect(callers).toMatchObject([{ id: 3 }])
  })
})
