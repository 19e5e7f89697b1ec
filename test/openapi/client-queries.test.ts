import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { createTables, crudPlugin, defineResources } from 'fastify-crud'
import createClient from 'openapi-fetch'
import { afterEach, expect, test } from 'vitest'
import { databases } from '../support/databases.ts'

const resources = defineResources({
  book: { fields: { title: Type.String(), price: Type.Optional(Type.Number()) } },
})

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A client of a service with four books, as openapi-fetch makes it. Returns the titles that it gets. */
async function openClient(): Promise<(query: Record<string, unknown>) => Promise<string[]>> {
  const { db, close } = await (databases[0] as (typeof databases)[number]).open()
  const app = Fastify()
  closing.push(() => app.close(), close)
  await createTables(db, resources)
  await app.register(crudPlugin, { db, resources, decorator: false })
  for (const [title, price] of Object.entries({ Emma: 5, Dune: 10, Kim: 15, Ulysses: null })) {
    await app.inject({ method: 'POST', url: '/api/book', payload: { title, price } })
  }
  const client = createClient<BookPaths>({
    baseUrl: 'https://books.example',
    async fetch({ url }) {
      const { pathname, search } = new URL(url)
      const { statusCode, payload } = await app.inject(pathname + search)
      return new Response(payload, { status: statusCode, headers: { 'content-type': 'application/json' } })
    },
  })
  return async (query) => {
    const { data, error } = await client.GET('/api/book', { params: { query } })
    expect(error).toBe(undefined)
    return data?.rows.map(({ title }) => title) ?? []
  }
}

interface BookPaths {
  '/api/book': {
    get: {
      parameters: { query?: Record<string, unknown> }
      responses: { 200: { content: { 'application/json': { rows: { title: string }[] } } } }
    }
  }
}

test('openapi-fetch sends the queries that the document describes as they are', async () => {
  const titles = await openClient()
  expect(await titles({ 'filter[price]': 10 })).toEqual(['Dune'])
  expect(await titles({ 'filter[price][gte]': 5, 'filter[price][lt]': 15, sort: '-price,title' })).toEqual([
    'Dune',
    'Emma',
  ])
  expect(await titles({ 'filter[price][in]': [5, 15], limit: 1, offset: 1 })).toEqual(['Kim'])
  expect(await titles({ 'filter[price][null]': true, fields: 'title' })).toEqual(['Ulysses'])
  expect(await titles({ filter: JSON.stringify({ or: [{ title: 'Kim' }, { price: { lte: 5 } }] }) })).toEqual([
    'Emma',
    'Kim',
  ])
})
