import { describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { withAssignedIds } from '../../../../test/support/test-ids.ts'
import { product } from './models/product.ts'

const [anyDatabase] = databases as [TestDatabase]

describe("an application's own parser of JSON", () => {
  const seen: string[] = []
  const service = useApp(anyDatabase, withAssignedIds(product), {
    before: (app) =>
      app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
        seen.push(String(body))
        done(null, JSON.parse(String(body)))
      }),
  })

  test('parses the bodies of these routes too', async () => {
    expect((await service.post('/api/product', { name: 'a' })).status).toBe(201)
    expect(seen).toEqual(['{"name":"a"}'])
  })
})

describe('an application that has removed all parsers', () => {
  const service = useApp(anyDatabase, withAssignedIds(product), { before: (app) => app.removeAllContentTypeParsers() })

  test('has these routes read JSON all the same', async () => {
    expect((await service.post('/api/product', { name: 'a' })).status).toBe(201)
  })
})

describe('what an application says of the keys `__proto__` and `constructor`', () => {
  const polluted = '{"name":"a","__proto__":{"stock":1},"constructor":{"prototype":{"stock":1}}}'
  const strict = useApp(anyDatabase, withAssignedIds(product))
  const lenient = useApp(anyDatabase, withAssignedIds(product), {
    fastify: { onProtoPoisoning: 'remove', onConstructorPoisoning: 'remove' },
  })

  test('holds here too: by default they are refused', async () => {
    expectProblem(await strict.raw('POST', '/api/product', polluted), { code: 'CRUD_ERR_INVALID' })
  })

  test('holds here too: they may be removed', async () => {
    const answer = await lenient.raw('POST', '/api/product', polluted)
    expect([answer.status, answer.body.stock]).toEqual([201, 7])
  })
})
