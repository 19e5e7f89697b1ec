import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonBody } from '../../../test/support/json-body.ts'
import { describeInShop } from './describe-in-shop.ts'
import { type OpenShop, openShop, requestAs } from './open-shop.ts'

describeInShop('the users of the bookshop', (database) => {
  let open: OpenShop
  let tagId: number
  beforeAll(async () => {
    open = await openShop(database)
    tagId = (await open.shop.resource('tag').create({ label: 'to be tried' })).id
  })
  afterAll(() => open.close())

  // What each may do, in this order: the last one deletes the tag.
  test.each([
    { user: undefined, view: 200, viewPrivate: 403, add: 403, edit: 403, remove: 403 },
    { user: 'mallory', view: 401, viewPrivate: 401, add: 401, edit: 401, remove: 401 },
    { user: 'ada', view: 200, viewPrivate: 200, add: 201, edit: 200, remove: 403 },
    { user: 'ben', view: 200, viewPrivate: 200, add: 201, edit: 200, remove: 204 },
  ])('$user', async ({ user, view, viewPrivate, add, edit, remove }) => {
    const status = async (...request: Parameters<typeof requestAs> extends [unknown, ...infer Rest] ? Rest : never) =>
      (await open.app.inject(requestAs(user, ...request))).statusCode
    const { rows } = await open.shop.resource('order').list({ limit: 1 })
    expect(await status('GET', '/api/tag')).toBe(view)
    for (const path of ['/api/contract', '/api/customer', '/api/order', `/api/order/${rows[0]?.id}/line`]) {
      expect([path, await status('GET', path)]).toEqual([path, viewPrivate])
    }
    expect(await status('POST', '/api/tag', { label: `by ${user}` })).toBe(add)
    expect(await status('PATCH', `/api/tag/${tagId}`, { label: `tried by ${user}` })).toBe(edit)
    expect(await status('DELETE', `/api/tag/${tagId}`)).toBe(remove)
  })

  test('an author counts how often it was read', async () => {
    const { rows } = await open.shop.resource('author').list({ limit: 1 })
    const path = `/api/author/${rows[0]?.id}`
    expect((await open.app.inject(path)).headers['x-views']).toBe('1')
    const second = await open.app.inject(path)
    expect(second.headers['x-views']).toBe('2')
    expect(second.json()).toEqual(rows[0])
    expect((await open.app.inject(requestAs('mallory', 'GET', path))).headers).not.toHaveProperty('x-views')
    expect((await open.app.inject('/api/author/999999')).headers).not.toHaveProperty('x-views')
  })
})

describeInShop('a customer of the bookshop', (database) => {
  let open: OpenShop
  let ask: (
    method: Parameters<typeof requestAs>[1],
    url: string,
    body?: object,
  ) => Promise<{ readonly status: number; readonly body: JsonBody }>
  let mine: Orders
  let others: Orders
  beforeAll(async () => {
    open = await openShop(database)
    const { rows } = await open.shop.order.list({ limit: 100 })
    const { id, email } = rows[0]?.customer ?? expect.unreachable()
    mine = rows.filter(({ customerId }) => customerId === id)
    others = rows.filter(({ customerId }) => customerId !== id)
    ask = async (...request) => {
      const { statusCode, body } = await open.app.inject(requestAs(email, ...request))
      return { status: statusCode, body: body === '' ? undefined : JSON.parse(body) }
    }
  })
  afterAll(() => open.close())

  test('sees the own orders only, with their lines', async () => {
    const { body } = await ask('GET', '/api/order?limit=100')
    expect(body).toEqual({ rows: mine, count: mine.length })
    const path = `/api/order/${mine[0]?.id}`
    expect(await ask('GET', path)).toEqual({ status: 200, body: mine[0] })
    expect((await ask('GET', `${path}/line`)).body.rows).toEqual(mine[0]?.lines)
  })

  test('finds nothing of another one’s orders, nor of their lines', async () => {
    const [other] = others
    const path = `/api/order/${other?.id}`
    for (const hidden of [path, `${path}/line`, `${path}/line/${other?.lines[0]?.id}`, '/api/order/999999']) {
      expect((await ask('GET', hidden)).status, hidden).toBe(404)
    }
  })

  test('sees and changes the own entry, and not one of another', async () => {
    const [[one], [other]] = [mine, others]
    const { body } = await ask('GET', '/api/customer')
    expect(body.rows.map(({ id }: { id: number }) => id)).toEqual([one?.customerId])
    const wishes = [{ id: one?.lines[0]?.bookId }]
    const changed = await ask('PUT', `/api/customer/${one?.customerId}`, { ...body.rows[0], newsletter: true, wishes })
    expect(changed).toMatchObject({ status: 200, body: { newsletter: true, wishes } })
    expect((await ask('PATCH', `/api/customer/${other?.customerId}`, { newsletter: true })).status).toBe(404)
  })

  test('may look at books, and neither add, change nor delete anything else', async () => {
    const path = `/api/order/${mine[0]?.id}`
    expect((await ask('GET', '/api/book')).body.count).toBe(32)
    expect((await ask('GET', '/api/contract')).status).toBe(403)
    expect((await ask('PATCH', path, { status: 'paid' })).status).toBe(403)
    expect((await ask('DELETE', path)).status).toBe(403)
    expect((await ask('POST', '/api/tag', { label: 'mine' })).status).toBe(403)
  })
})

type Orders = Awaited<ReturnType<OpenShop['shop']['order']['list']>>['rows']
