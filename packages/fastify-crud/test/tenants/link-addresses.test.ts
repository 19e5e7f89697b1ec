import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { FOUR, NINE, useShop } from './shop.ts'

const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const

describeOnBoth('The addresses of links, with tenants,', (database) => {
  const shop = useShop(database)
  let task: JsonBody

  beforeEach(async () => {
    // Both tenants have a project and a label of this id.
    for (const tenant of [FOUR, NINE]) {
      await shop.add(tenant, '/api/label', { id: 'new', name: tenant })
      await shop.add(tenant, '/api/project', { id: 'p', name: 'P', tasks: tenant === FOUR ? [{ title: 't' }] : [] })
    }
    await shop.add(NINE, '/api/label', { id: 'theirs', name: 'Nine only' })
    task = (await shop.request(FOUR, 'GET', '/api/project/p/task')).body.rows[0]
  })

  test('lead from a record of the tenant to one of the tenant', async () => {
    for (const path of [`/api/task/${task.id}/labels`, `/api/project/p/task/${task.id}/labels`]) {
      expect((await shop.request(FOUR, 'PUT', `${path}/new`)).status).toBe(204)
      const page = await shop.request(FOUR, 'GET', path)
      expect(page.body).toEqual({ rows: [{ id: 'new', name: FOUR }], count: 1 })
      expectProblem(await shop.request(FOUR, 'PUT', `${path}/theirs`), notFound)
      expect((await shop.request(FOUR, 'DELETE', `${path}/theirs`)).status).toBe(204)
      expect((await shop.request(FOUR, 'DELETE', `${path}/new`)).status).toBe(204)
      expect((await shop.request(FOUR, 'GET', path)).body).toEqual({ rows: [], count: 0 })
    }
  })

  test("are not there for another tenant's record", async () => {
    await shop.request(FOUR, 'PUT', `/api/task/${task.id}/labels/new`)
    const before = await shop.service.snapshot()
    for (const path of [`/api/task/${task.id}/labels`, `/api/project/p/task/${task.id}/labels`]) {
      expectProblem(await shop.request(NINE, 'GET', path), notFound)
      expectProblem(await shop.request(NINE, 'PUT', `${path}/theirs`), notFound)
      expectProblem(await shop.request(NINE, 'DELETE', `${path}/new`), notFound)
    }
    expect(await shop.service.snapshot()).toEqual(before)
  })
})
