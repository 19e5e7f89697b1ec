import { type Client, createClient } from '@fastify-crud/client'
import type { Store, WithActions } from '@fastify-crud/core'
import { expectTypeOf, test } from 'vitest'
import type { actions, shop } from '../shop.ts'

type Api = Client<typeof shop, typeof actions>
type Shop = Store<WithActions<typeof shop, typeof actions>>
declare const api: Api
declare const store: Shop

test('a client has the collections of the store', () => {
  expectTypeOf<Exclude<keyof Api, 'resource' | 'model' | 'reset'>>().toEqualTypeOf<
    Exclude<keyof Shop, 'resource' | 'visible' | 'batch' | 'as' | 'asSystem' | 'in' | 'on' | 'model'>
  >()
  expectTypeOf(createClient<typeof shop, typeof actions>({ url: '' })).toEqualTypeOf<Api>()
  // @ts-expect-error what is owned is reached through its owner
  api.note
  // @ts-expect-error there is no such resource
  api.nothing
})

test('records are those of the store, whole ones with their ETag', async () => {
  const book = await api.book.find(1)
  expectTypeOf<Omit<typeof book, '$etag'>>().toEqualTypeOf<Omit<Awaited<ReturnType<typeof store.book.find>>, '$etag'>>()
  expectTypeOf(book.$etag).toEqualTypeOf<string>()
  const part = await api.book.find(1, { fields: ['title', 'publisher.name'] })
  const partOfStore = await store.book.find(1, { fields: ['title', 'publisher.name'] })
  expectTypeOf(part).toEqualTypeOf<typeof partOfStore>()
  // @ts-expect-error a part has no ETag
  part.$etag
  // @ts-expect-error no such field
  api.book.find(1, { fields: ['titel'] })
  // @ts-expect-error an id of a book is a number
  api.book.find('1')
  // @ts-expect-error an id of an author is a text
  api.author.find(1)
})

test('lists know their filters, their rows and whether they are counted', async () => {
  const { rows, count } = await api.book.list({
    filter: { 'publisher.name': 'Ink', price: { lte: 3 } },
    sort: ['-title'],
  })
  expectTypeOf(count).toEqualTypeOf<number>()
  expectTypeOf(rows[0]?.title).toEqualTypeOf<string | undefined>()
  // @ts-expect-error rows have no ETags
  rows[0]?.$etag
  const tagged = await api.book.list({ etags: true })
  expectTypeOf(tagged.rows[0]?.$etag).toEqualTypeOf<string | undefined>()
  const uncounted = await api.book.list({ count: 'none' })
  expectTypeOf(uncounted.count).toEqualTypeOf<number | undefined>()
  for await (const row of api.book.all({ fields: ['price'] })) expectTypeOf(row.price).toEqualTypeOf<number>()
  const { rows: groups } = await api.book.group({ by: ['publisherId'], values: ['count()'] })
  expectTypeOf(groups[0]?.['count()']).toEqualTypeOf<number | undefined>()
  // @ts-expect-error no such field
  api.book.list({ filter: { titel: 'a' } })
  // @ts-expect-error a price is a number
  api.book.list({ filter: { price: 'a' } })
  // @ts-expect-error no such relation
  api.book.list({ include: ['chapter'] })
  // @ts-expect-error there is no search
  api.publisher.list({ search: 'a' })
})

test('bodies are those of the store', async () => {
  const book = await api.book.create({ title: 'a', publisherId: 1, authors: [{ id: 'x' }] })
  // @ts-expect-error a book needs a publisher
  api.book.create({ title: 'a', authors: [] })
  // @ts-expect-error no such field
  api.tag.create({ id: 'a', name: 'x', titel: 'a' })
  api.book.patch(book, { price: { $add: 2 } })
  api.book.patch(1, { title: 'b' })
  api.book.replace(book, book)
  // @ts-expect-error a title is a text
  api.book.patch(book, { title: 1 })
  const [row] = (await api.book.list()).rows
  // @ts-expect-error a row has no ETag
  if (row) api.book.patch(row, { title: 'b' })
  // @ts-expect-error computed fields are not set
  api.book.patch(book, { chapterCount: 1 })
  api.publisher.upsert({ name: 'a' }, { by: ['name'] })
  // @ts-expect-error each body has its id
  api.tag.patchMany([{ name: 'a' }])
  api.tag.deleteMatching({ filter: { name: 'a' }, maxAffected: 1 })
  // @ts-expect-error how many at most has to be said
  api.tag.deleteMatching({ filter: { name: 'a' } })
})

test('relations lead to the collections of their targets', async () => {
  const chapters = api.book.owned(1, 'chapters')
  expectTypeOf((await chapters.find(1)).title).toEqualTypeOf<string>()
  expectTypeOf((await chapters.owned(1, 'notes').find(1)).text).toEqualTypeOf<string>()
  expectTypeOf((await api.chapter.find(1)).bookId).toEqualTypeOf<number>()
  // @ts-expect-error authors are not owned
  api.book.owned(1, 'authors')
  // @ts-expect-error what a chapter owns is reached through its book
  api.chapter.owned
  api.book.linked(1, 'tags').add('a', { before: null })
  // @ts-expect-error an id of a tag is a text
  api.book.linked(1, 'tags').add(1)
})

test('actions have their bodies, queries and answers', async () => {
  const paid = await api.invoice.act(1, 'pay', { by: 'Ada' })
  expectTypeOf(paid?.$etag).toEqualTypeOf<string | undefined>()
  expectTypeOf(await api.invoice.act(1, 'isPaid', undefined, { query: { by: 'a' } })).toEqualTypeOf<boolean>()
  expectTypeOf(await api.invoice.act('sums', undefined, { query: { above: [1] } })).toEqualTypeOf<number[]>()
  // @ts-expect-error no such action
  api.invoice.act(1, 'burn')
  // @ts-expect-error it needs a body
  api.invoice.act(1, 'pay')
  // @ts-expect-error books have no actions
  api.book.act
})

test('previews have the arguments of the writes, and resolve to what these do', async () => {
  const preview = await api.book.preview.patch(1, { price: 3 })
  expectTypeOf(preview.changes[0]?.resource).toEqualTypeOf<string | undefined>()
  expectTypeOf((await preview.confirm()).title).toEqualTypeOf<string>()
  expectTypeOf(await (await api.book.preview.delete(1)).confirm()).toEqualTypeOf<void>()
  expectTypeOf(await (await api.invoice.preview.act('clear')).confirm()).toEqualTypeOf<undefined>()
  api.book.linked(1, 'tags').preview.remove('a')
  api.invoice.preview.purge(1)
  // @ts-expect-error a title is a text
  api.book.preview.patch(1, { title: 3 })
  // @ts-expect-error reads have no previews
  api.book.preview.find
  // @ts-expect-error books have no trash
  api.book.preview.restore
})

test('only what a trash allows is there', () => {
  api.invoice.restore(1)
  api.invoice.purge(1)
  // @ts-expect-error books have no trash
  api.book.restore
  // @ts-expect-error books have no trash
  api.book.deleted
})

test('types that the compiler has lost are an error', () => {
  // biome-ignore lint/suspicious/noExplicitAny: what a missing library leaves
  type Lost = any
  type Model<Title> = typeof shop & {
    readonly descriptors: { readonly tag: { readonly fields: { readonly name: Title } } }
  }
  createClient<Model<{ readonly type: 'string' }>>({ url: '' })
  // @ts-expect-error a field is any
  createClient<Model<Lost>>({ url: '' })
  // @ts-expect-error the model is any
  createClient<Lost>({ url: '' })
})
