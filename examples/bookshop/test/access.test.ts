import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnDatabases } from '../../../test/support/describe-on-databases.ts'
import { type OpenShop, openShop, requestAs } from './open-shop.ts'

describeOnDatabases('the users of the bookshop', (database) => {
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
    { user: 'mallory', view: 403, viewPrivate: 403, add: 403, edit: 403, remove: 403 },
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

  test('a book counts how often it was read', async () => {
    const { rows } = await open.shop.resource('book').list({ limit: 1 })
    const path = `/api/book/${rows[0]?.id}`
    expect((await open.app.inject(path)).headers['x-views']).toBe('1')
    const second = await open.app.inject(path)
    expect(second.headers['x-views']).toBe('2')
    expect(second.json()).toEqual(rows[0])
    expect((await open.app.inject(requestAs('mallory', 'GET', path))).headers).not.toHaveProperty('x-views')
    expect((await open.app.inject('/api/book/999999')).headers).not.toHaveProperty('x-views')
  })
})
