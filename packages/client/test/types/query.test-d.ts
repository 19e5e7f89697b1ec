import type { Client } from '@fastify-crud/client'
import { createQueries } from '@fastify-crud/client/query'
import { InfiniteQueryObserver, MutationObserver, QueryClient, QueryObserver } from '@tanstack/query-core'
import { expectTypeOf, test } from 'vitest'
import type { actions, shop } from '../shop.ts'

declare const api: Client<typeof shop, typeof actions>
const queryClient = new QueryClient()
const q = createQueries(api, queryClient)

test('queries have the data of the client', async () => {
  const book = await queryClient.fetchQuery(q.book.find(1))
  expectTypeOf(book).toEqualTypeOf<Awaited<ReturnType<typeof api.book.find>>>()
  const { rows } = await queryClient.fetchQuery(q.book.list({ fields: ['title'], filter: { price: 1 } }))
  expectTypeOf(rows[0]?.title).toEqualTypeOf<string | undefined>()
  const observer = new QueryObserver(queryClient, q.book.owned(1, 'chapters').find(1))
  expectTypeOf(observer.getCurrentResult().data?.title).toEqualTypeOf<string | undefined>()
  const pages = new InfiniteQueryObserver(queryClient, q.book.pages({ sort: ['title'] }))
  expectTypeOf(pages.getCurrentResult().data?.pages[0]?.rows[0]?.price).toEqualTypeOf<number | undefined>()
  // @ts-expect-error no such field
  q.book.list({ filter: { titel: 'a' } })
  // @ts-expect-error pages go by cursors
  q.book.pages({ offset: 3 })
  // @ts-expect-error what is owned is reached through its owner
  q.note
})

test('mutations have the variables of the client', async () => {
  const patch = new MutationObserver(queryClient, q.book.patch({ optimistic: true }))
  const book = await patch.mutate({ target: 1, body: { price: { $add: 1 } } })
  expectTypeOf(book.$etag).toEqualTypeOf<string>()
  // @ts-expect-error a title is a text
  patch.mutate({ target: book, body: { title: 1 } })
  // @ts-expect-error it needs a body
  patch.mutate({ target: book })
  const pay = new MutationObserver(queryClient, q.invoice.act('pay'))
  expectTypeOf((await pay.mutate({ target: 1, body: { by: 'a' } }))?.total).toEqualTypeOf<number | undefined>()
  // @ts-expect-error it needs a body
  pay.mutate({ target: 1 })
  const clear = new MutationObserver(queryClient, q.invoice.act('clear'))
  expectTypeOf(await clear.mutate({})).toEqualTypeOf<undefined>()
  new MutationObserver(queryClient, q.book.linked(1, 'tags').add()).mutate({ id: 'a', before: null })
  // @ts-expect-error no such action
  q.invoice.act('burn')
})
