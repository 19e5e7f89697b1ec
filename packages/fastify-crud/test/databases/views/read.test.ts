import { checkTables } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { makeShelf, shelf } from './shelf.ts'

describeOnBoth('a view with `writable: false`', (database) => {
  const service = useApp(database, shelf, { tables: makeShelf })
  let ada: JsonBody
  let bo: JsonBody
  let books: JsonBody[]

  beforeEach(async () => {
    ada = await service.add('/api/author', { name: 'Ada' })
    bo = await service.add('/api/author', { name: 'Bo' })
    books = []
    for (const [title, price, { id }] of [
      ['Emma', 5, ada],
      ['Nib', 8, bo],
      ['Ink', 20, ada],
      ['Plan', 9, ada],
    ] as const) {
      books.push(await service.add('/api/book', { title, price, authorId: id }))
    }
  })

  const offerOf = (index: number) => {
    const { id, title, price, authorId, author } = books[index] as JsonBody
    return { id, title, price, authorId, author }
  }

  test('the start and checkTables find nothing wrong', async () => {
    expect(await checkTables(service.db, shelf)).toEqual([])
  })

  test('shows its records like any other', async () => {
    expect(await service.read('/api/offer')).toEqual({ rows: [offerOf(0), offerOf(1), offerOf(3)], count: 3 })
    const answer = await service.get(`/api/offer/${books[1].id}`)
    expect(answer).toMatchObject({ status: 200, body: offerOf(1) })
    const again = { 'if-none-match': String(answer.headers.etag) }
    expect((await service.request('GET', `/api/offer/${books[1].id}`, undefined, again)).status).toBe(304)
    expect((await service.get(`/api/offer/${books[2].id}`)).status).toBe(404)
  })

  test('takes filters, sorts, fields, counts and pages', async () => {
    const titles = async (query: string) => {
      const { rows, next } = await service.read(`/api/offer?${query}`)
      return [...rows.map(({ title }: JsonBody) => title), ...(next === undefined ? [] : [next])]
    }
    expect(await titles('filter[author.name]=Ada&sort=-price')).toEqual(['Plan', 'Emma'])
    expect(await titles('sort=-title&fields=title')).toEqual(['Plan', 'Nib', 'Emma'])
    const [first, second, next] = await titles('sort=price&limit=2')
    expect([first, second]).toEqual(['Emma', 'Nib'])
    expect(await titles(`sort=price&limit=2&after=${next}`)).toEqual(['Plan'])
  })

  test('shows what its foreign keys name, and is found from there', async () => {
    const author = await service.read(`/api/author/${ada.id}?include=offers&fields=name,count(offers)`)
    expect(author['count(offers)']).toBe(2)
    expect(author.offers.map(({ title }: JsonBody) => title)).toEqual(['Emma', 'Plan'])
    const { rows } = await service.read('/api/author?filter={"offers":{"some":{"price":8}}}')
    expect(rows).toEqual([bo])
  })

  test('owns records of another view, below its path', async () => {
    const parts = [0, 2, 3].map((index) => ({ id: books[index].id, title: books[index].title }))
    const sale = await service.read(`/api/sale/${ada.id}`)
    expect(sale).toEqual({ id: ada.id, books: 3, authorId: ada.id, author: ada, parts })
    expect(
      (await service.read(`/api/sale/${ada.id}/part?sort=-title`)).rows.map(({ title }: JsonBody) => title),
    ).toEqual(['Plan', 'Ink', 'Emma'])
    expect(await service.read(`/api/sale/${ada.id}/part/${books[2].id}`)).toEqual(parts[1])
  })

  test('keeps no record from going: what it shows of it goes with it', async () => {
    const cy = await service.add('/api/author', { name: 'Cy' })
    expect(await service.read(`/api/sale/${cy.id}`)).toMatchObject({ books: 0, author: cy })
    expect((await service.delete(`/api/author/${cy.id}`)).status).toBe(204)
    expect((await service.get(`/api/sale/${cy.id}`)).status).toBe(404)
    // Its books know the author no more, so they are no offers.
    expect((await service.delete(`/api/author/${bo.id}`)).status).toBe(204)
    expect((await service.read('/api/offer')).count).toBe(2)
    expect((await service.read(`/api/book/${books[1].id}`)).authorId).toBeNull()
  })

  test('is named by records that the service writes, which must find it there', async () => {
    const [offer, other] = [offerOf(0), offerOf(1)]
    const body = { text: 'good', offerId: offer.id, otherId: other.id, others: [{ id: other.id }] }
    const review = await service.add('/api/review', body)
    const { authorId, author, ...summary } = offer
    expect(review.offer).toEqual(summary)
    expect(review.others).toHaveLength(1)
    expect(await service.put(`/api/review/${review.id}`, review)).toMatchObject({ status: 200, body: review })
    const expensive = { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } as const
    for (const [name, value] of [
      ['offerId', books[2].id],
      ['others', [{ id: books[2].id }]],
    ] as const) {
      await service.refuse('POST', '/api/review', { ...body, [name]: value }, expensive)
      await service.refuse('PATCH', `/api/review/${review.id}`, { [name]: value }, expensive)
    }
  })

  test('no body writes it: a nested record beside no foreign key is refused, as of any reference', async () => {
    const invalid = { code: 'CRUD_ERR_INVALID' } as const
    const offer = { title: 'New', price: 1 }
    await service.refuse('POST', '/api/review', { text: 'good', offer }, invalid)
    const review = await service.add('/api/review', { text: 'good', offerId: books[0].id })
    await service.refuse('PATCH', `/api/review/${review.id}`, { offer }, invalid)
    await service.refuse('PUT', `/api/review/${review.id}`, { text: 'good', offer }, invalid)
    await service.refuse('PATCH', `/api/author/${ada.id}`, { offers: [offer] }, invalid)
    await service.refuse('PATCH', `/api/review/${review.id}`, { others: [offer] }, invalid)
    // What a GET has shown may come back, and changes nothing in it.
    const changed = { ...review, offer: { ...review.offer, title: 'Other' } }
    expect(await service.put(`/api/review/${review.id}`, changed)).toMatchObject({ status: 200, body: review })
  })
})

describeOnBoth('the methods of a view', (database) => {
  const service = useApp(database, shelf, { tables: makeShelf })
  const paths = ['/api/offer', '/api/offer/1', '/api/sale/1/part', '/api/sale/1/part/1']

  test.each(paths)('are GET and HEAD, all others are 405: %s', async (path) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await service.request(method, path, method === 'OPTIONS' ? undefined : { title: 'x' })
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'GET, HEAD'])
      expect(answer.body.code).toBe('CRUD_ERR_METHOD')
    }
  })
})
