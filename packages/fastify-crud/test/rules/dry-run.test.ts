import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { useCommits } from './support/commits.ts'
import { crudOf } from './support/crud-of.ts'
import type { TestRules } from './support/rules.ts'
import { useShop } from './support/use-shop.ts'

const rollback = { prefer: 'tx=rollback' }

describeOnBoth('a dry run', (database) => {
  const commits = useCommits()
  const runs: string[] = []
  const rules: TestRules = {
    customer: [
      {
        validate({ after, refuse }) {
          runs.push('validate')
          if (after?.name === 'bad') refuse('no customer is called bad')
        },
        async afterWrite({ after, db }) {
          runs.push('afterWrite')
          await db
            .insertInto('coupon')
            .values({ code: `for ${after?.name}` })
            .execute()
          if (after?.name === 'thrown') throw new Error('thrown')
        },
        invariant: {
          reads: ['name'],
          test({ after, refuse }) {
            runs.push('invariant')
            if (after?.name === 'broken') refuse('no customer is broken')
          },
        },
      },
      commits.rule,
    ],
  }
  const shop = useShop(database, rules)
  const { service } = shop
  beforeEach(() => void runs.splice(0))

  test('over HTTP runs `validate`, `afterWrite` and `invariant`, answers the result, and stores nothing', async () => {
    const before = await service.snapshot()
    const answer = await service.request('POST', '/api/customer', { name: 'Cy' }, rollback)
    expect(answer).toMatchObject({ status: 201, body: { name: 'Cy' } })
    expect(runs).toEqual(['validate', 'afterWrite', 'invariant'])
    const path = `/api/customer/${shop.rows.customer.id}`
    const changed = await service.request('PATCH', path, { name: 'Di' }, rollback)
    expect(changed).toMatchObject({ status: 200, body: { id: shop.rows.customer.id, name: 'Di' } })
    expect((await service.request('DELETE', `/api/customer/${shop.rows.other.id}`, undefined, rollback)).status).toBe(
      204,
    )
    expect(await service.snapshot()).toEqual(before)
  })

  test('is refused as the write would be', async () => {
    const refused = { code: 'CRUD_ERR_REFUSED' } as const
    for (const name of ['bad', 'broken']) {
      expectProblem(await service.request('POST', '/api/customer', { name }, rollback), refused)
    }
    const thrown = await service.request('POST', '/api/customer', { name: 'thrown' }, rollback)
    expectProblem(thrown, { code: 'CRUD_ERR_INTERNAL' })
  })

  test('does not run `afterCommit`', async () => {
    await service.request('POST', '/api/customer', { name: 'dry' }, rollback)
    await crudOf(service).resource('customer').create({ name: 'dry' }, { dryRun: true })
    await service.add('/api/customer', { name: 'real' })
    await commits.until(1)
    expect(commits.calls.flatMap(({ rows }) => rows.map(({ after }) => after.name))).toEqual(['real'])
  })

  test('in the store also returns the plan, and stores nothing', async () => {
    const before = await service.snapshot()
    const customers = crudOf(service).resource('customer')
    const { id } = shop.rows.customer
    for (const result of [
      await customers.create({ name: 'Cy' }, { dryRun: true }),
      await customers.patch(id, { name: 'Cy' }, { dryRun: true }),
      await customers.replace(id, { name: 'Cy' }, { dryRun: true }),
    ]) {
      expect(result).toHaveProperty('plan')
      expect(JSON.stringify(result)).toContain('Cy')
    }
    expect(runs).toHaveLength(9)
    expect(await service.snapshot()).toEqual(before)
  })

  test('in the store is refused as the write would be', async () => {
    const created = crudOf(service).resource('customer').create({ name: 'bad' }, { dryRun: true })
    await expect(created).rejects.toMatchObject({ code: 'CRUD_ERR_REFUSED' })
  })
})
