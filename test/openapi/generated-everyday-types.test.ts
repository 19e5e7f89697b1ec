import { defineActions, defineResources, ownedBy, owns } from '@fastify-crud/core'
import { openApiOf } from '@fastify-crud/openapi'
import { Type } from '@sinclair/typebox'
import openapiTS, { astToString } from 'openapi-typescript'
import { expect, test } from 'vitest'
import { mistakesIn } from './mistakes-in.ts'

const resources = defineResources({
  list: {
    softDelete: { column: 'deletedAt', trash: true },
    fields: { name: Type.String(), stock: Type.Integer() },
    relations: { items: owns.many('item', { order: 'position' }) },
  },
  item: {
    softDelete: 'deletedAt',
    fields: { name: Type.String() },
    relations: { list: ownedBy('list', { moves: true }) },
  },
})

const actions = defineActions(resources, {
  list: {
    pay: { asks: 'Edit', body: Type.Object({ paidOn: Type.String() }), run: () => undefined },
    remind: {
      on: 'list',
      asks: 'View',
      query: Type.Object({ least: Type.Integer() }),
      answer: Type.Object({ sent: Type.Integer() }),
      run: () => ({ sent: 1 }),
    },
  },
})

const CALLS = `
import createClient from 'openapi-fetch'
import type { components, operations, paths } from './everyday.ts'

const client = createClient<paths>({ baseUrl: 'https://lists.example' })
type Schemas = components['schemas']
const at = { params: { path: { id: 1 } } }

export async function use(): Promise<void> {
  const paid = await client.POST('/api/list/{id}/$act/pay', { ...at, body: { paidOn: '2026-11-30' } })
  const name: string | undefined = paid.data?.name
  // @ts-expect-error a property that the action does not take
  const more: Schemas['list.pay.body'] = { paidOn: '2026-11-30', by: 1 }
  // @ts-expect-error it is required
  await client.POST('/api/list/{id}/$act/pay', at)
  const reminded = await client.POST('/api/list/$act/remind', { params: { query: { least: 1 } } })
  const sent: number | undefined = reminded.data?.sent
  // @ts-expect-error a number
  await client.POST('/api/list/$act/remind', { params: { query: { least: 'x' } } })
  type Pay = operations['list.pay']

  await client.PATCH('/api/list/{id}', {
    ...at,
    body: { stock: { $add: -1 }, items: [{ id: 1, $before: null }, { name: 'n', $before: 1 }, { id: 3, $remove: true }] },
  })
  // @ts-expect-error a number
  await client.PATCH('/api/list/{id}', { ...at, body: { stock: { $add: 'x' } } })
  // @ts-expect-error there is nothing to add to
  await client.POST('/api/list', { body: { name: 'n', stock: { $add: 1 } } })
  const item = { params: { path: { list_id: 1, id: 2 } } }
  const moved = await client.PATCH('/api/list/{list_id}/item/{id}', { ...item, body: { listId: 2, $before: 3 } })
  const listId: number | undefined = moved.data?.listId

  const trash = await client.GET('/api/list/$deleted', { params: { query: { limit: 1 } } })
  const when: (string | undefined)[] | undefined = trash.data?.rows.map((row) => ('deletedAt' in row ? row.deletedAt : undefined))
  await client.POST('/api/list/{id}/$restore', at)
  const long = await client.POST('/api/list/$list', { body: { filter: { name: 'n' }, sort: ['-name'], limit: 20 } })
  // @ts-expect-error the stock is a number
  const unknown: Schemas['list.filter'] = { stock: { gte: 'x' } }
  console.log(more, unknown, name, sent, listId, when, long.data?.count, null as unknown as Pay)
}
`

test('types that are made of the document know actions, moves, marks of a PATCH, the trash and long queries', async () => {
  const document = openApiOf(resources, { actions, guarded: false })
  const types = astToString(await openapiTS(Buffer.from(JSON.stringify(document)), { defaultNonNullable: false }))
  expect(mistakesIn({ 'everyday.ts': types, 'calls.ts': CALLS })).toEqual([])
})
