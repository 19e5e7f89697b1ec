import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonBody } from '../../../test/support/json-body.ts'
import { describeInShop } from './describe-in-shop.ts'
import { type OpenShop, openShop, requestAs } from './open-shop.ts'

describeInShop('the history of the bookshop', (database) => {
  let open: OpenShop
  beforeAll(async () => {
    open = await openShop(database)
  })
  afterAll(() => open.close())

  async function ask(user: string | undefined, method: Parameters<typeof requestAs>[1], url: string, body?: object) {
    const answer = await open.app.inject(requestAs(user, method, url, body))
    return { status: answer.statusCode, body: answer.body === '' ? undefined : (answer.json() as JsonBody) }
  }

  test('says who changed the price of a book, and takes it back', async () => {
    const [book] = (await ask('ada', 'GET', '/api/book?limit=1')).body.rows
    const path = `/api/book/${book.id}`
    await ask('ada', 'PATCH', path, { price: '0.01' })
    const { rows } = (await ask('ben', 'GET', `${path}/$history`)).body
    expect(rows[0]).toMatchObject({ operation: 'patch', by: 'ada', changes: [{ after: { price: '0.01' } }] })
    expect(rows.at(-1).operation).toBe('create')
    expect(await ask('ben', 'POST', `${path}/$history/${rows[0].write}/$undo`)).toEqual({ status: 200, body: book })
  })

  test('brings a deleted book back for the owner, with all that it had', async () => {
    const [{ publisherId, authors }] = (await ask('ben', 'GET', '/api/book?limit=1')).body.rows
    const chapters = [{ number: 1, title: 'Wicks', footnotes: [{ mark: '*', text: 'Since 1888.' }] }]
    const made = await ask('ben', 'POST', '/api/book', {
      ...{ title: 'Tried', isbn: '9780000000000', format: 'ebook', price: '1.00', publisherId, authors, chapters },
      cover: { image: 'https://covers.example/tried.jpg' },
    })
    expect(made.status).toBe(201)
    const path = `/api/book/${made.body.id}`
    expect((await ask('ben', 'DELETE', path)).status).toBe(204)
    const [last] = (await ask('ben', 'GET', `${path}/$history?limit=1`)).body.rows
    expect(await ask('ben', 'POST', `${path}/$history/${last.write}/$undo`)).toEqual({ status: 200, body: made.body })
  })

  test('of an order is seen by its customer, and not by another one', async () => {
    const { rows } = await open.shop.order.list({ limit: 100 })
    const [order] = rows
    const other = rows.find(({ customerId }) => customerId !== order?.customerId)
    const path = `/api/order/${order?.id}/$history`
    expect((await ask(order?.customer.email, 'GET', path)).status).toBe(200)
    expect((await ask(other?.customer.email, 'GET', path)).status).toBe(404)
    expect((await ask(undefined, 'GET', path)).status).toBe(403)
  })

  test('of a paid order is not undone: its status only goes forward', async () => {
    const { rows } = await open.shop.order.list({ filter: { status: 'open' }, limit: 1 })
    const path = `/api/order/${rows[0]?.id}`
    await ask('ada', 'PATCH', path, { status: 'paid' })
    const [last] = (await ask('ada', 'GET', `${path}/$history`)).body.rows
    expect(await ask('ada', 'POST', `${path}/$history/${last.write}/$undo`)).toMatchObject({
      status: 409,
      body: { code: 'CRUD_ERR_REFUSED' },
    })
  })
})
