import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { JsonBody } from '../../../test/support/json-body.ts'
import { describeInShop } from './describe-in-shop.ts'
import { type OpenShop, openShop, requestAs } from './open-shop.ts'

describeInShop('an order of the bookshop', (database) => {
  let open: OpenShop
  let books: JsonBody[]
  let customerId: number
  let order: JsonBody
  let path: string
  beforeAll(async () => {
    open = await openShop(database)
    books = (await ask('GET', '/api/book?limit=3&fields=price')).body.rows
    customerId = (await ask('GET', '/api/customer?limit=1&fields=name')).body.rows[0].id
  })
  afterAll(() => open.close())

  beforeEach(async () => {
    const lines = books.slice(0, 2).map(({ id, price }) => ({ bookId: id, quantity: 1, unitPrice: price }))
    const added = await ask('POST', '/api/order', { placedAt: '2026-11-01T10:00:00Z', customerId, lines })
    expect(added.status).toBe(201)
    order = added.body
    path = `/api/order/${order.id}`
  })

  async function ask(method: Parameters<typeof requestAs>[1], url: string, body?: object, user = 'ada') {
    const answer = await open.app.inject(requestAs(user, method, url, body))
    return { status: answer.statusCode, body: answer.body === '' ? undefined : (answer.json() as JsonBody) }
  }

  async function become(...statuses: string[]): Promise<void> {
    for (const status of statuses) expect((await ask('PATCH', path, { status })).status).toBe(200)
  }

  const refused = (detail: string) => ({ status: 409, body: { code: 'CRUD_ERR_REFUSED', detail } })

  test('begins open, and goes from there to paid, sent and returned', async () => {
    expect(order.status).toBe('open')
    await become('paid', 'sent', 'returned')
  })

  test('takes no other way, nor by a PUT, nor from the start', async () => {
    const wrong = refused("status cannot change from 'open' to 'sent'")
    expect(await ask('PATCH', path, { status: 'sent' })).toMatchObject(wrong)
    expect(await ask('PUT', path, { ...order, status: 'sent' })).toMatchObject(wrong)
    const { placedAt } = order
    expect(await ask('POST', '/api/order', { placedAt, customerId, status: 'paid' })).toMatchObject(
      refused("status of a new order is 'open'"),
    )
    await expect(
      open.app.crud.as({ name: 'ada', customer: null, roles: ['staff'] }).order.patch(order.id, { status: 'sent' }),
    ).rejects.toMatchObject({ code: 'CRUD_ERR_REFUSED' })
  })

  test('has a total, which follows its lines wherever they change, and which nobody sets', async () => {
    const [first, second] = order.lines
    const cents = (price: string) => Math.round(Number(price) * 100)
    const total = (...all: readonly [price: string, quantity: number][]) =>
      (all.reduce((sum, [price, quantity]) => sum + cents(price) * quantity, 0) / 100).toFixed(2)
    expect(order.total).toBe(total([first.unitPrice, 1], [second.unitPrice, 1]))
    const changed = await ask('PATCH', path, { lines: [{ id: first.id, quantity: 3 }, { id: second.id }] })
    expect(changed.body.total).toBe(total([first.unitPrice, 3], [second.unitPrice, 1]))
    expect((await ask('DELETE', `${path}/line/${second.id}`, undefined, 'ben')).status).toBe(204)
    const found = await ask('GET', `/api/order?filter[id]=${order.id}&filter[total][gte]=0.01&fields=total`)
    expect(found.body.rows).toMatchObject([{ id: order.id, total: total([first.unitPrice, 3]) }])
    expect((await ask('PATCH', path, { total: '1.00' })).status).toBe(400)
    expect((await ask('PATCH', `${path}/line/${first.id}`, { amount: '0.01' })).status).toBe(400)
  })

  test('keeps its lines once it is paid, and is not deleted', async () => {
    const [first, second] = order.lines
    const line = `${path}/line/${first.id}`
    expect((await ask('PATCH', line, { quantity: 2 })).status).toBe(200)
    await become('paid')
    const wrong = refused('the lines of an order that is paid cannot be changed')
    const more = { bookId: books[2]?.id, quantity: 1, unitPrice: '1.00' }
    const ways: readonly (readonly [Parameters<typeof requestAs>[1], string, object?])[] = [
      ['PATCH', line, { quantity: 3 }],
      ['PUT', line, { ...first, quantity: 3 }],
      ['DELETE', line],
      ['POST', `${path}/line`, more],
      ['PATCH', path, { lines: [{ id: second.id, unitPrice: '0.01' }] }],
      ['PATCH', path, { status: 'sent', lines: [more] }],
      ['PUT', path, { ...order, status: 'paid', lines: [] }],
    ]
    for (const [method, url, body] of ways) {
      expect(await ask(method, url, body, 'ben'), `${method} ${url}`).toMatchObject(wrong)
    }
    expect(await ask('DELETE', path, undefined, 'ben')).toMatchObject(
      refused('an order that is paid cannot be deleted'),
    )
    expect((await ask('PATCH', path, { giftNote: 'For Nan' })).status).toBe(200)
  })

  test('says who entered it and who changed it last, whatever a body says', async () => {
    const { createdAt } = order
    expect(order).toMatchObject({ createdBy: 'ada', updatedBy: 'ada', updatedAt: createdAt })
    const changed = await ask('PATCH', path, { giftNote: 'For Nan' }, 'ben')
    expect(changed.body).toMatchObject({ createdAt, createdBy: 'ada', updatedBy: 'ben' })
    const put = await ask('PUT', path, { ...changed.body, createdBy: 'mallory', updatedBy: 'mallory' })
    expect(put).toEqual({ status: 200, body: changed.body })
    const { errors } = (await ask('PATCH', path, { createdAt: '2001-01-01T00:00:00Z' })).body
    expect(errors).toMatchObject([{ pointer: '/createdAt', message: 'is read-only: leave it out' }])
  })

  test('has an audit trail, with its lines', async () => {
    const [first] = order.lines
    await ask('PATCH', `${path}/line/${first.id}`, { quantity: 2 }, 'ben')
    await become('paid')
    await ask('PATCH', path, { status: 'open' })
    const trail = await ask('GET', `/api/audit?filter[resource]=order&filter[recordId]=${order.id}&sort=id`)
    expect(trail.body.rows).toMatchObject([
      { action: 'Add', before: null, after: { status: 'open', customerId }, caller: { name: 'ada' } },
      { action: 'Edit', before: { status: 'open' }, after: { status: 'paid' }, caller: { name: 'ada' } },
    ])
    const ofLine = await ask('GET', `/api/audit?filter[resource]=line&filter[recordId]=${first.id}&sort=id`)
    expect(ofLine.body.rows).toMatchObject([
      { action: 'Add', after: { quantity: 1, orderId: order.id } },
      {
        action: 'Edit',
        before: { quantity: 1 },
        after: { quantity: 2 },
        caller: { name: 'ben', roles: ['staff', 'owner'] },
      },
    ])
  })

  test('has a trail that nobody writes, and only the staff sees', async () => {
    const { rows } = (await ask('GET', '/api/audit?limit=1')).body
    const entry = `/api/audit/${rows[0].id}`
    for (const user of ['ada', 'ben']) {
      expect((await ask('POST', '/api/audit', rows[0], user)).status).toBe(403)
      expect((await ask('PATCH', entry, { caller: null }, user)).status).toBe(403)
      expect((await ask('DELETE', entry, undefined, user)).status).toBe(403)
    }
    expect((await open.app.inject('/api/audit')).statusCode).toBe(403)
    const customer = (await ask('GET', `/api/customer/${customerId}`)).body.email
    expect((await ask('GET', entry, undefined, customer)).status).toBe(403)
  })

  test('goes with its lines while it is open, and the trail stays', async () => {
    expect((await ask('DELETE', path, undefined, 'ben')).status).toBe(204)
    const { rows } = (await ask('GET', '/api/audit?filter[action]=Delete&sort=-id&limit=3')).body
    expect(rows.map(({ resource }: JsonBody) => resource).sort()).toEqual(['line', 'line', 'order'])
    expect(rows).toContainEqual(expect.objectContaining({ recordId: String(order.id), after: null }))
  })
})
