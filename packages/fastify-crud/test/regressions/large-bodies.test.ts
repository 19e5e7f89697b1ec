import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { product } from '../contract/models/product.ts'

const MOST_LISTED = 1_000
const LONGEST_MESSAGE = 300

describeOnBoth('a body of properties that nobody knows', (database) => {
  const service = useApp(database, product)

  const refuse = async (method: string, path: string, body: object): Promise<JsonBody> => {
    const problem = await service.refuse(method, path, body, { code: 'CRUD_ERR_INVALID' })
    expect(problem.errors.length).toBeLessThanOrEqual(MOST_LISTED)
    for (const { message } of problem.errors) expect(message.length).toBeLessThan(LONGEST_MESSAGE)
    return problem
  }

  test('is refused in short words if one name is a million letters long', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    const body = { ['k'.repeat(1_000_000)]: 1 }
    await refuse('POST', '/api/product', body)
    await refuse('PUT', `/api/product/${id}`, body)
    await refuse('PATCH', `/api/product/${id}`, body)
  })

  test('is refused with at most 1,000 of 60,000 errors', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    const body = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`k${n}`, 1]))
    for (const [method, path] of [
      ['POST', '/api/product'],
      ['PUT', `/api/product/${id}`],
      ['PATCH', `/api/product/${id}`],
    ] as const) {
      const problem = await refuse(method, path, body)
      expect(problem.errors).toHaveLength(MOST_LISTED)
      expect(problem.detail.length).toBeLessThan(LONGEST_MESSAGE)
    }
  })
})
