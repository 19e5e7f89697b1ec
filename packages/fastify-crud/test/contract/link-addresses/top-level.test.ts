import { Type } from '@sinclair/typebox'
import { defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../../test/support/problem.ts'
import { missingId } from '../../../../../test/support/test-ids.ts'

const name = Type.String({ maxLength: 100 })

const shop = defineResources({
  order: { fields: { name }, relations: { lines: owns.many('line'), favourites: knows.many('line') } },
  line: {
    topLevel: true,
    authorizedBy: 'owner',
    fields: { name },
    relations: { order: ownedBy('order'), products: needs.many('product'), orders: knows.many('order') },
  },
  product: { fields: { name } },
})

describeOnBoth('links of owned records at the top', (database) => {
  const asked: string[] = []
  const refused = new Set<string>()
  const service = useApp(database, shop, {
    plugin: {
      authorize(_, { action, resource, operation, id }) {
        const question = `${action} ${resource}`
        asked.push(`${question} ${operation} ${id === undefined ? '-' : id === order?.id ? 'order' : '?'}`)
        return !refused.has(question)
      },
    },
  })
  let [one, two]: JsonBody[] = []
  let order: JsonBody | undefined
  let line: JsonBody
  let path: string

  beforeEach(async () => {
    refused.clear()
    order = undefined
    one = await service.add('/api/product', { name: '1' })
    two = await service.add('/api/product', { name: '2' })
    order = await service.add('/api/order', { name: 'o', lines: [{ name: 'l', products: [{ id: one?.id }] }] })
    line = order?.lines[0]
    path = `/api/line/${line.id}`
    asked.length = 0
  })

  test('are the same as below the owner', async () => {
    const below = `/api/order/${order?.id}/line/${line.id}`
    expect((await service.put(`${path}/products/${two?.id}`, undefined)).status).toBe(204)
    expect(await service.read(`${path}/products`)).toEqual({ rows: [one, two], count: 2 })
    expect((await service.delete(`${path}/products/${one?.id}`)).status).toBe(204)
    expect(await service.read(`${below}/products`)).toEqual({ rows: [two], count: 1 })
    await service.refuse('DELETE', `${path}/products/${two?.id}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    expectProblem(await service.get(`/api/line/${missingId('line')}/products`), { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('PUT', `/api/line/${missingId('line')}/products/${one?.id}`, undefined, {
      code: 'CRUD_ERR_NOT_FOUND',
    })
    // The owner is no part of this path.
    const parameters = ['order_id']
    await service.refuse('PUT', `${path}/orders/%00`, undefined, { code: 'CRUD_ERR_INVALID', parameters })
    expect((await service.put(`${path}/orders/${order?.id}`, undefined)).status).toBe(204)
  })

  test('go on behind a cursor', async () => {
    await service.put(`${path}/products/${two?.id}`, undefined)
    const { next } = await service.read(`${path}/products?limit=1`)
    expect((await service.read(`${path}/products?limit=1&after=${next}`)).rows).toEqual([two])
  })

  test('ask about the owner', async () => {
    await service.put(`${path}/products/${two?.id}`, undefined)
    expect(asked).toEqual(['View order patch order', 'Edit order patch order', 'View product patch -'])
    asked.length = 0
    await service.read(`${path}/products`)
    expect(asked).toEqual(['View order findOne order', 'View product findOne -'])
    refused.add('Edit order')
    await service.refuse('DELETE', `${path}/products/${two?.id}`, undefined, { code: 'CRUD_ERR_FORBIDDEN' })
    refused.add('View order')
    expectProblem(await service.get(`${path}/products`), { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('that lead to such records show them with the keys of their owners', async () => {
    const favourite = `/api/order/${order?.id}/favourites`
    expect((await service.put(`${favourite}/${line.id}`, undefined)).status).toBe(204)
    expect((await service.read(`${favourite}?filter[orderId]=${order?.id}`)).rows).toEqual([await service.read(path)])
    expect((await service.read(path)).orderId).toBe(order?.id)
  })
})
