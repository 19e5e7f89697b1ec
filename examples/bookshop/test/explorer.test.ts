import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInShop } from './describe-in-shop.ts'
import { type OpenShop, openShop, requestAs } from './open-shop.ts'

describeInShop('the page of the bookshop', (database) => {
  let open: OpenShop
  beforeAll(async () => {
    open = await openShop(database)
  })
  afterAll(() => open.close())

  test('is the explorer', async () => {
    const { statusCode, headers } = await open.app.inject('/')
    expect([statusCode, headers.location]).toEqual([302, '/explorer/'])
  })

  test('has callers who each see something else, of whom the customer is one of the seed', async () => {
    const counts = []
    for (const name of ['ben', 'rosa.lindqvist@post.example', undefined]) {
      const answer = await open.app.inject(requestAs(name, 'GET', '/api/order?count=exact'))
      counts.push([answer.statusCode, answer.json().count])
    }
    expect(counts).toEqual([
      [200, 75],
      [200, expect.any(Number)],
      [403, undefined],
    ])
    expect(counts[1]?.[1]).toBeGreaterThan(0)
  })

  test('nothing on the API reference comes from elsewhere', async () => {
    const { headers, body } = await open.app.inject('/reference/')
    expect(headers['content-security-policy']).toMatch(/^default-src 'self'/)
    expect(body).not.toMatch(/(src|href)="https?:/)
  })
})
