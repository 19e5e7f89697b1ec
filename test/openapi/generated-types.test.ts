import { openApiOf } from '@fastify-crud/openapi'
import openapiTS, { astToString } from 'openapi-typescript'
import { expect, test } from 'vitest'
import { library } from '../../packages/openapi/test/library.ts'
import { mistakesIn } from './mistakes-in.ts'

const CALLS = `
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.ts'

const client = createClient<paths>({ baseUrl: 'https://library.example' })
type Schemas = components['schemas']

// A query that does not ask for parts is answered with whole records.
function whole<Record, Part extends { partial?: true }>(found: Record | Part): Record {
  return found as Record
}

export async function use(): Promise<void> {
  const list = await client.GET('/api/book', { params: { query: { limit: 10 } } })
  const count: number | undefined = list.data?.count
  const titles: (string | undefined)[] | undefined = list.data?.rows.map(({ title }) => title)
  const some = await client.GET('/api/book', { params: { query: { fields: 'title,count(tags)' } } })
  for (const row of some.data?.rows ?? []) {
    // What the query has left out has no value.
    const price: number | null | undefined = row.price
    // @ts-expect-error so it is no number
    const surely: number | null = row.price
    const tags: number | undefined = 'count(tags)' in row ? row['count(tags)'] : undefined
    console.log(price, surely, tags)
  }
  const code: string | undefined = list.error?.code
  // @ts-expect-error a code that is not there
  const isUnknown: boolean = list.error?.code === 'CRUD_ERR_NOPE'
  const places: (string | undefined)[] = list.error?.errors?.map(({ parameter, pointer }) => parameter ?? pointer) ?? []
  const blocking: number | undefined = list.error?.blockers?.[0]?.count

  const filter = { price: { gte: 5 }, 'publisher.name': 'Ink', or: [{ chapters: { some: { title: 'One' } } }] }
  const fits: Schemas['book.filter'] = filter
  // @ts-expect-error the price is a number
  const misfit: Schemas['book.filter'] = { not: { price: { gte: '5' } } }
  const byPrice: paths['/api/book']['get']['parameters']['query'] = {
    sort: '-price,publisher.name',
    'filter[price][gte]': 5,
    'filter[title]': 'Emma',
    'filter[publisherId][in]': [1, 2],
    fields: 'title,count(tags)',
    include: '-chapters,publisher.books',
    'nested[tags][limit]': 5,
    'nested[tags][sort]': '-word',
  }
  await client.GET('/api/book', { params: { query: byPrice } })
  await client.GET('/api/book', { params: { query: { filter: JSON.stringify(filter) } } })
  await client.GET('/api/book/{book_id}/chapter', { params: { path: { book_id: 1 }, query: { 'filter[pages][gte]': 1 } } })
  // @ts-expect-error the price is a number
  await client.GET('/api/book', { params: { query: { 'filter[price]': 'x' } } })
  // @ts-expect-error an operator that numbers do not have
  await client.GET('/api/book', { params: { query: { 'filter[price][startsWith]': '1' } } })
  // @ts-expect-error a field that is not there
  await client.GET('/api/book', { params: { query: { 'filter[prise]': 1 } } })
  await client.GET('/api/book/{id}', { params: { path: { id: 1 }, query: { include: 'tags', 'nested[tags][limit]': 5 } } })
  // @ts-expect-error not of a single record
  await client.GET('/api/book/{id}', { params: { path: { id: 1 }, query: { sort: 'title' } } })

  const { data: found } = await client.GET('/api/book/{id}', { params: { path: { id: 1 } } })
  if (found === undefined) return
  // @ts-expect-error it may be a part, which a PUT would not take
  await client.PUT('/api/book/{id}', { params: { path: { id: 1 } }, body: found })
  const book = whole<Schemas['book.record'], Schemas['book.partial']>(found)
  const price: number | null = book.price
  const notes: string[] = book.chapters.flatMap((chapter) => chapter.notes.map(({ text }) => text))
  // @ts-expect-error a related record has no relations of its own
  book.publisher.books

  // What GET returned can be sent back.
  await client.PUT('/api/book/{id}', { params: { path: { id: 1 } }, body: book })
  await client.PUT('/api/book', { body: book })
  // @ts-expect-error the id is in the body
  await client.PUT('/api/book', { body: { title: 'T', publisherId: 1, authors: [{ id: 1 }], contract: { signed: true } } })

  const body: Schemas['book.create'] = {
    title: 'T',
    publisherId: 1,
    authors: [{ id: 1 }],
    contract: { signed: true },
    chapters: [{ title: 'One', picture: { url: 'https://x.example/', artistId: 1 } }],
  }
  const created = await client.POST('/api/book', { body })
  const id: number | undefined = created.data?.id
  // @ts-expect-error a required field
  await client.POST('/api/book', { body: { ...body, title: undefined } })
  // @ts-expect-error a field that is not there
  const wrong: Schemas['publisher.create'] = { name: 'P', nmae: 'P' }

  const at = { params: { path: { book_id: 1, id: 2 } } }
  await client.PATCH('/api/book/{book_id}/chapter/{id}', { ...at, body: { notes: [{ id: 1, text: 'a' }, { text: 'b' }] } })
  await client.DELETE('/api/book/{book_id}/chapter/{id}', at)
  // @ts-expect-error the id of the owner is missing
  await client.DELETE('/api/book/{book_id}/chapter/{id}', { params: { path: { id: 2 } } })
  console.log(isUnknown, places, blocking, count, titles, code, price, notes, id, wrong, fits, misfit)
}
`

test('the types that openapi-typescript makes of the document compile, and type requests and answers', async () => {
  // Fields with a default may be left out of a request.
  const types = astToString(
    await openapiTS(Buffer.from(JSON.stringify(openApiOf(library, { guarded: false }))), { defaultNonNullable: false }),
  )
  expect(mistakesIn({ 'schema.ts': types, 'calls.ts': CALLS })).toEqual([])
})
