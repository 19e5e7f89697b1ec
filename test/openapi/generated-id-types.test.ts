import { openApiOf } from '@fastify-crud/openapi'
import { Type } from '@sinclair/typebox'
import { defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import openapiTS, { astToString } from 'openapi-typescript'
import { expect, test } from 'vitest'
import { mistakesIn } from './mistakes-in.ts'

const name = { name: Type.String() }
const shop = defineResources({
  order: {
    id: 'uuid',
    fields: name,
    relations: { lines: owns.many('line'), bill: owns.one('bill'), customer: needs.one('customer') },
  },
  line: {
    id: ['order', 'product'],
    fields: { quantity: Type.Integer() },
    relations: { order: ownedBy('order'), product: needs.one('product') },
  },
  bill: { id: ['order'], fields: { total: Type.Integer() }, relations: { order: ownedBy('order') } },
  product: { id: 'bigint', fields: name },
  customer: { id: 'text', fields: name, relations: { country: knows.one('country'), likes: knows.many('product') } },
  country: { id: { kind: 'integer', assign: 'client' }, fields: name },
  price: {
    id: ['product', 'currency'],
    fields: { currency: Type.String(), amount: Type.Integer() },
    relations: { product: needs.one('product') },
  },
})

const CALLS = `
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.ts'

const client = createClient<paths>({ baseUrl: 'https://shop.example' })
type Schemas = components['schemas']

const uuid = '0190163d-8694-739b-aea5-966c26f8ad91'

export async function use(): Promise<void> {
  // The client gives some ids.
  const customer: Schemas['customer.create'] = { id: 'acme', name: 'Acme', countryId: 43, likes: [{ id: '7' }] }
  // @ts-expect-error without an id
  const none: Schemas['customer.create'] = { name: 'Acme' }
  // @ts-expect-error a text is no integer
  const country: Schemas['country.create'] = { id: '43', name: 'Austria' }
  // @ts-expect-error a bigint is spelled as a text
  const likes: Schemas['customer.create'] = { id: 'acme', name: 'Acme', likes: [{ id: 7 }] }
  await client.POST('/api/customer', { body: customer })

  // The id of a line is the product's: what the members say need not be said twice.
  const lines = [{ productId: '7', quantity: 1 }]
  const order: Schemas['order.create'] = { name: 'one', customerId: 'acme', lines, bill: { total: 1 } }
  // @ts-expect-error a bigint is spelled as a text
  const wrong: Schemas['order.create'] = { name: 'one', customerId: 'acme', lines: [{ productId: 7, quantity: 1 }] }
  const { data: created } = await client.POST('/api/order', { body: order })
  const id: string | undefined = created?.id
  const line: { id: string; productId: string; quantity: number } | undefined = created?.lines?.[0]

  const path = { order_id: uuid, id: '7' }
  await client.PATCH('/api/order/{order_id}/line/{id}', { params: { path }, body: { quantity: 2 } })
  // @ts-expect-error a number is no UUID
  await client.GET('/api/order/{id}', { params: { path: { id: 1 } } })
  await client.GET('/api/country/{id}', { params: { path: { id: 43 } } })
  // @ts-expect-error a text is no integer
  await client.GET('/api/country/{id}', { params: { path: { id: '43' } } })
  await client.GET('/api/price/{id}', { params: { path: { id: '7,EUR' } } })
  await client.GET('/api/order', { params: { query: { 'filter[customerId]': 'acme', 'filter[id][in]': [uuid] } } })
  const filter: Schemas['order.filter'] = { customerId: 'acme', lines: { some: { productId: '7' } } }
  // @ts-expect-error a bigint is spelled as a text
  const number: Schemas['order.filter'] = { lines: { some: { productId: 7 } } }
  console.log(none, country, likes, wrong, id, line, filter, number)
}
`

test('the types that openapi-typescript makes know the kind of each id', async () => {
  const document = openApiOf(shop, { guarded: false })
  const types = astToString(await openapiTS(Buffer.from(JSON.stringify(document)), { defaultNonNullable: false }))
  expect(mistakesIn({ 'schema.ts': types, 'calls.ts': CALLS })).toEqual([])
})
