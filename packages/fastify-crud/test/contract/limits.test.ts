import { expect, test } from 'vitest'
import { buildApp, useApp } from '../../../../test/support/app.ts'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { withAssignedIds } from '../../../../test/support/test-ids.ts'
import { category } from './models/category.ts'
import { knowsMany } from './models/knows.ts'
import { ownsMany } from './models/owns-many.ts'
import { personAddress } from './models/person-address.ts'

/** A tree of `depth` categories, one below the other, as text. */
const nested = (depth: number) =>
  `${'{"name":"x","categories":['.repeat(depth - 1)}{"name":"x"}${']}'.repeat(depth - 1)}`

describeOnBoth('limits', (database) => {
  const limits = { defaultPage: 2, maxPage: 3, maxBody: 2000, maxItems: 10, maxDepth: 6 }
  const service = useApp(database, ownsMany, { plugin: { limits } })

  test('defaultPage and maxPage', async () => {
    for (const name of ['1', '2', '3', '4', '5']) await service.add('/api/parent', { name })
    const names = async (query: string) =>
      (await service.read(`/api/parent${query}`)).rows.map((row: { name: string }) => row.name)
    expect(await names('')).toEqual(['1', '2'])
    expect(await names('?limit=3')).toEqual(['1', '2', '3'])
    await service.refuse('GET', '/api/parent?limit=4', undefined, { code: 'CRUD_ERR_INVALID' })
  })

  test("maxBody: 413 for the body's size", async () => {
    await service.refuse('POST', '/api/parent', { name: 'x'.repeat(2000) }, { code: 'CRUD_ERR_BODY', status: 413 })
    expect((await service.add('/api/parent', { name: 'x'.repeat(1900) })).name).toHaveLength(1900)
  })

  test('maxItems: array elements of one body, beyond it is 400', async () => {
    const children = Array.from({ length: 11 }, (_, n) => ({ name: `${n}` }))
    const { id } = await service.add('/api/parent', { name: 'a', children: children.slice(1) })
    await service.refuse('POST', '/api/parent', { name: 'a', children }, { code: 'CRUD_ERR_INVALID' })
    await service.refuse('PUT', `/api/parent/${id}`, { name: 'a', children }, { code: 'CRUD_ERR_INVALID' })
    await service.refuse('PATCH', `/api/parent/${id}`, { children }, { code: 'CRUD_ERR_INVALID' })
  })
})

describeOnBoth('maxPage below the default page', (database) => {
  const service = useApp(database, ownsMany, { plugin: { limits: { maxPage: 2 } } })

  test('is what a list without a limit has', async () => {
    for (const name of ['1', '2', '3']) await service.add('/api/parent', { name })
    expect((await service.read('/api/parent')).rows).toHaveLength(2)
  })
})

test('limits that do not go together, or are none, are refused at start', async () => {
  const [database] = databases as [TestDatabase]
  const start = buildApp(database, ownsMany, { plugin: { limits: { defaultPage: 3, maxPage: 2 } } })
  await expect(start).rejects.toThrow('limits.defaultPage: must not be more than limits.maxPage, which is 2')
  for (const maxPage of [0, 1.5, Number.NaN]) {
    const wrong = buildApp(database, ownsMany, { plugin: { limits: { maxPage } } })
    await expect(wrong).rejects.toThrow('limits.maxPage: must be a positive integer')
  }
})

describeOnBoth('the limit of array elements', (database) => {
  const service = useApp(database, personAddress, { plugin: { limits: { maxItems: 10 } } })

  test('maxItems: those of all arrays of one body together', async () => {
    const six = Array.from({ length: 6 }, (_, n) => ({ street: `${n}` }))
    expect((await service.add('/api/person', { name: 'a', homes: six, works: six.slice(2) })).works).toHaveLength(4)
    await service.refuse('POST', '/api/person', { name: 'a', homes: six, works: six }, { code: 'CRUD_ERR_INVALID' })
  })
})

describeOnBoth('the limit of nesting', (database) => {
  const service = useApp(database, withAssignedIds(category), { plugin: { limits: { maxDepth: 6 } } })

  test('maxDepth: nesting of one body, beyond it is 400', async () => {
    expect((await service.raw('POST', '/api/category', nested(2))).status).toBe(201)
    expectProblem(await service.raw('POST', '/api/category', nested(8)), { code: 'CRUD_ERR_INVALID' })
  })
})

describeOnBoth('the limits without being set', (database) => {
  const service = useApp(database, withAssignedIds(category))

  test('a body nested 5,000 deep is 400', async () => {
    const before = await service.snapshot()
    for (const method of ['POST', 'PUT', 'PATCH']) {
      const path = method === 'POST' ? '/api/category' : '/api/category/1'
      expectProblem(await service.raw(method, path, nested(5000)), { code: 'CRUD_ERR_INVALID' })
      expectProblem(await service.raw(method, path, '['.repeat(20_000) + ']'.repeat(20_000)), {
        code: 'CRUD_ERR_INVALID',
      })
      const unknown = `{"name":"x","y":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`
      expectProblem(await service.raw(method, path, unknown), { code: 'CRUD_ERR_INVALID' })
    }
    expect(await service.snapshot()).toEqual(before)
  })

  test('a body nested 20 deep is stored whole', async () => {
    const answer = await service.raw('POST', '/api/category', nested(20))
    expect(answer.status).toBe(201)
    expect(await service.read(`/api/category/${answer.body.id}`)).toEqual(answer.body)
    expect((await service.snapshot()).category).toHaveLength(20)
  })
})

describeOnBoth('more than 10,000 array elements in a body', (database) => {
  const service = useApp(database, knowsMany)

  test('are 400', async () => {
    const bs = Array.from({ length: 10_001 }, (_, n) => ({ id: n + 1 }))
    await service.refuse('POST', '/api/a', { name: 'a', bs }, { code: 'CRUD_ERR_INVALID' })
  })
})
