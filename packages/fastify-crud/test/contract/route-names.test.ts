import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { product } from './models/product.ts'

const named = defineResources({
  bookShop: {
    route: 'book-shops',
    fields: { name: Type.String() },
    relations: { shelves: owns.many('shelf') },
  },
  shelf: { route: 'shelves', fields: { label: Type.String() }, relations: { shop: ownedBy('bookShop') } },
})

describeOnBoth("a resource's route name", (database) => {
  const service = useApp(database, named)

  test('is its `route:`', async () => {
    const answer = await service.post('/api/book-shops', { name: 'a', shelves: [{ label: 's' }] })
    expect(answer.headers.location).toMatch(new RegExp(`/api/book-shops/${answer.body.id}$`))
    const path = `/api/book-shops/${answer.body.id}/shelves`
    expect(await service.read(path)).toEqual({ rows: answer.body.shelves, count: 1 })
    const added = await service.post(path, { label: 't' })
    expect(added.headers.location).toMatch(new RegExp(`${path}/${added.body.id}$`))
  })

  test('and not its key then', async () => {
    const { id } = await service.add('/api/book-shops', { name: 'a' })
    for (const path of ['/api/bookShop', `/api/bookShop/${id}`, `/api/book-shops/${id}/shelf`]) {
      await service.refuse('GET', path, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    }
  })
})

describeOnBoth('prefix', (database) => {
  const service = useApp(database, product, { plugin: { prefix: '/shop/v1' } })

  test('stands in front of every path, in Location too', async () => {
    const answer = await service.post('/shop/v1/product', { name: 'a' })
    expect(answer.status).toBe(201)
    expect(answer.headers.location).toMatch(new RegExp(`/shop/v1/product/${answer.body.id}$`))
    expect(await service.read(`/shop/v1/product/${answer.body.id}`)).toEqual(answer.body)
    expect((await service.get('/api/product')).status).toBe(404)
    await service.refuse('GET', '/shop/v1/nothing', undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    expect((await service.request('OPTIONS', '/shop/v1/product')).status).toBe(405)
  })
})

describeOnBoth('a prefix with a parameter of the application', (database) => {
  const service = useApp(database, named, { plugin: { prefix: '/of/:tenant' } })

  test('stands in Location as the request has it', async () => {
    const answer = await service.post('/of/a%2Fb%20c/book-shops', { name: 'a' })
    expect(answer.headers.location).toBe(`/of/a%2Fb%20c/book-shops/${answer.body.id}`)
    const added = await service.post(`${answer.headers.location}/shelves`, { label: 't' })
    expect(added.headers.location).toBe(`${answer.headers.location}/shelves/${added.body.id}`)
    expect(await service.read(String(added.headers.location))).toEqual(added.body)
  })
})
