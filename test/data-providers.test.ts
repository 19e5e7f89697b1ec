import { stripTypeScriptTypes } from 'node:module'
import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  createStore,
  createTables,
  crudPlugin,
  defineResources,
  knows,
  neededBy,
  needs,
  ownedBy,
  owns,
} from 'fastify-crud'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { databases } from './support/databases.ts'
import { blocksOf } from './support/doc-pages.ts'
import type { JsonBody } from './support/json-body.ts'

const resources = defineResources({
  publisher: { fields: { name: Type.String() }, relations: { books: neededBy.many('book') } },
  book: {
    fields: { title: Type.String({ minLength: 1 }), price: Type.Optional(Type.Integer()) },
    relations: { publisher: needs.one('publisher'), authors: knows.many('author'), chapters: owns.many('chapter') },
    search: { fields: ['title', 'publisher.name'] },
  },
  author: { fields: { name: Type.String() } },
  chapter: { fields: { name: Type.String({ minLength: 1 }) }, relations: { book: ownedBy('book') } },
})

const code = blocksOf('docs/data-providers.md')
  .filter(({ language }) => language === 'typescript')
  .map(({ text }) => text)
  .join('\n')

type Method =
  | 'getList'
  | 'getOne'
  | 'getMany'
  | 'getManyReference'
  | 'create'
  | 'createMany'
  | 'update'
  | 'updateMany'
  | 'delete'
  | 'deleteOne'
  | 'deleteMany'

/** Each has those that its front end calls. */
type Provider = Readonly<Record<Method, (...given: unknown[]) => Promise<JsonBody>>>

/** The providers of the page, whose requests go to the service. */
function providersOn(app: FastifyInstance): { readonly dataProvider: Provider; readonly refineProvider: Provider } {
  const ask = async (url: string, { method, headers, body }: RequestInit) => {
    const answer = await app.inject({
      method: method as 'GET',
      url,
      headers: headers as Record<string, string>,
      ...(body === undefined ? {} : { payload: body as string }),
    })
    return new Response(answer.payload === '' ? null : answer.payload, {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string>,
    })
  }
  const script = stripTypeScriptTypes(code.replaceAll('export const', 'const'))
  return new Function('fetch', `${script}\nreturn { dataProvider, refineProvider }`)(ask)
}

describe.each(databases)('the data providers of the page, on $name,', (database) => {
  let app: FastifyInstance
  let close: () => Promise<void>
  let admin: Provider
  let refine: Provider
  const titles = ({ data }: JsonBody) => data.map(({ title }: JsonBody) => title)

  beforeEach(async () => {
    const open = await database.open()
    close = open.close
    await createTables(open.db, resources)
    app = Fastify()
    await app.register(crudPlugin, { db: open.db, resources })
    const { publisher, author, book } = createStore({ db: open.db, resources })
    for (const name of ['Ann', 'Bea']) await author.create({ name })
    for (const name of ['Ink', 'Quill']) await publisher.create({ name })
    for (const [title, price, publisherId] of [
      ['Emma', 5, 1],
      ['Dune', 10, 2],
      ['Kim', 15, 2],
    ] as const) {
      await book.create({ title, price, publisherId, chapters: [{ name: 'one' }, { name: 'two' }] })
    }
    ;({ dataProvider: admin, refineProvider: refine } = providersOn(app))
  })
  afterEach(async () => {
    await app.close()
    await close()
  })

  const page = (more: object = {}) => ({
    pagination: { page: 1, perPage: 2 },
    sort: { field: 'price', order: 'DESC' },
    filter: {},
    ...more,
  })

  test('that of react-admin lists pages, references and single records', async () => {
    expect(await admin.getList('book', page())).toMatchObject({ data: [{ title: 'Kim' }, { title: 'Dune' }], total: 3 })
    expect(titles(await admin.getList('book', page({ pagination: { page: 2, perPage: 2 } })))).toEqual(['Emma'])
    const filtered = page({ filter: { 'title@icontains': 'M', 'price@lt': 10 }, sort: { field: 'id', order: 'ASC' } })
    expect(await admin.getList('book', filtered)).toMatchObject({ data: [{ title: 'Emma' }], total: 1 })
    expect(titles(await admin.getList('book', page({ filter: { 'publisher.name': 'Ink' } })))).toEqual(['Emma'])
    expect(titles(await admin.getList('book', page({ filter: { id: [1, 2] } })))).toEqual(['Dune', 'Emma'])
    expect((await admin.getOne('book', { id: 3 })).data.title).toBe('Kim')
    expect(titles(await admin.getMany('book', { ids: [3, 1] }))).toEqual(['Emma', 'Kim'])
    expect(await admin.getMany('book', { ids: [] })).toEqual({ data: [] })
    const reference = await admin.getManyReference('book', page({ target: 'publisherId', id: 2 }))
    expect([titles(reference), reference.total]).toEqual([['Kim', 'Dune'], 2])
  })

  test('that of react-admin writes one record, as a whole, and many', async () => {
    const { data: made } = await admin.create('book', { data: { title: 'Ada', publisherId: 1 } })
    expect(made).toMatchObject({ id: 4, title: 'Ada', price: null })
    const { data: book } = await admin.getOne('book', { id: 1 })
    const changed = { ...book, title: 'Emma!', chapters: book.chapters.slice(1) }
    const { data: written } = await admin.update('book', { id: 1, data: changed, previousData: book })
    expect(written).toEqual({ ...changed, _etag: expect.any(String) })
    expect(written._etag).not.toBe(book._etag)
    expect(await admin.updateMany('book', { ids: [1, 2], data: { price: 7 } })).toEqual({ data: [1, 2] })
    expect((await admin.getMany('book', { ids: [1, 2] })).data.map(({ price }: JsonBody) => price)).toEqual([7, 7])
    expect(await admin.delete('book', { id: 4, previousData: made })).toEqual({ data: made })
    expect(await admin.deleteMany('book', { ids: [1, 2] })).toEqual({ data: [1, 2] })
    expect(titles(await admin.getList('book', page()))).toEqual(['Kim'])
  })

  test('that of react-admin searches, and chooses linked records by their ids', async () => {
    const byId = { sort: { field: 'id', order: 'ASC' } }
    expect(titles(await admin.getList('book', page({ ...byId, filter: { q: 'quill' } })))).toEqual(['Dune', 'Kim'])
    expect(titles(await admin.getList('book', page({ ...byId, filter: { q: '', price: 5 } })))).toEqual(['Emma'])
    const ofPublisher = page({ target: 'publisherId', id: 2, filter: { q: 'ki' } })
    expect(titles(await admin.getManyReference('book', ofPublisher))).toEqual(['Kim'])
    const { data: book } = await admin.getOne('book', { id: 1 })
    expect(book.authorIds).toEqual([])
    const { data: changed } = await admin.update('book', { id: 1, data: { ...book, authorIds: [2, 1] } })
    expect(changed).toMatchObject({ authors: [{ name: 'Ann' }, { name: 'Bea' }], authorIds: [1, 2] })
    const { data: made } = await admin.create('book', { data: { title: 'Ada', publisherId: 1, authorIds: [2] } })
    expect(made.authorIds).toEqual([2])
  })

  test('a form that has been open for long undoes nothing that others have done', async () => {
    const { data: book } = await admin.getOne('book', { id: 1 })
    const chapters = [...book.chapters, { name: 'three' }]
    await refine.update({ resource: 'book', id: 1, variables: { chapters } })
    const late = { ...book, title: 'Emma!' }
    await expect(admin.update('book', { id: 1, data: late, previousData: book })).rejects.toMatchObject({ status: 412 })
    await expect(refine.update({ resource: 'book', id: 1, variables: late })).rejects.toMatchObject({ status: 412 })
    // One value, from a list or a button.
    const { data } = await admin.update('book', { id: 1, data: { title: 'Emma!' }, previousData: book })
    expect(data).toMatchObject({ title: 'Emma!', chapters: [{}, {}, { name: 'three' }] })
  })

  test('that of Refine lists pages by its operators', async () => {
    const list = async (more: object) => titles(await refine.getList({ resource: 'book', ...more }))
    const sorters = [{ field: 'price', order: 'desc' }]
    expect(await list({ sorters, pagination: { currentPage: 2, pageSize: 2 } })).toEqual(['Emma'])
    for (const [field, operator, value, expected] of [
      ['title', 'contains', 'M', ['Kim', 'Emma']],
      ['title', 'containss', 'K', ['Kim']],
      ['title', 'ncontains', 'm', ['Dune']],
      ['title', 'startswith', 'e', ['Emma']],
      ['title', 'nendswiths', 'm', ['Dune', 'Emma']],
      ['price', 'between', [5, 10], ['Dune', 'Emma']],
      ['price', 'null', true, []],
      ['price', 'nnull', true, ['Kim', 'Dune', 'Emma']],
      ['id', 'nin', [1], ['Kim', 'Dune']],
      ['publisher.name', 'eq', 'Ink', ['Emma']],
      ['title', 'eq', '', ['Kim', 'Dune', 'Emma']],
      ['q', 'contains', 'ink', ['Emma']],
    ] as const) {
      expect(await list({ sorters, filters: [{ field, operator, value }] }), operator).toEqual(expected)
    }
    const either = ['Kim', 'Emma'].map((value) => ({ field: 'title', operator: 'eq', value }))
    expect(await list({ sorters, filters: [{ operator: 'or', value: either }] })).toEqual(['Kim', 'Emma'])
    expect(() => refine.getList({ resource: 'book', filters: [{ field: 'x', operator: 'ina', value: 1 }] })).toThrow(
      /ina/,
    )
    expect(titles(await refine.getMany({ resource: 'book', ids: [2, 3] }))).toEqual(['Dune', 'Kim'])
  })

  test('that of Refine writes what a form has, and many records', async () => {
    const variables = { title: 'Ada', publisherId: 1 }
    expect((await refine.create({ resource: 'book', variables })).data.id).toBe(4)
    const { data } = await refine.createMany({
      resource: 'book',
      variables: [variables, { ...variables, title: 'Bo' }],
    })
    expect(data).toMatchObject([{ title: 'Ada' }, { title: 'Bo' }])
    const patched = await refine.update({ resource: 'book', id: 1, variables: { price: 6 } })
    expect(patched.data).toMatchObject({ title: 'Emma', price: 6, chapters: [{ name: 'one' }, { name: 'two' }] })
    const both = await refine.updateMany({ resource: 'book', ids: [1, 2], variables: { price: 8 } })
    expect(both.data.map(({ price }: JsonBody) => price)).toEqual([8, 8])
    expect(await refine.deleteOne({ resource: 'book', id: 1 })).toEqual({ data: { id: 1 } })
    expect(await refine.deleteMany({ resource: 'book', ids: [2, 3] })).toEqual({ data: [{ id: 2 }, { id: 3 }] })
    expect((await refine.getList({ resource: 'book' })).total).toBe(3)
  })

  test('put the messages of problems at the fields of a form, and change nothing', async () => {
    const invalid = { title: '', price: 'cheap', publisherId: 1 }
    const error = await admin.create('book', { data: invalid }).catch((caught: unknown) => caught)
    const errors = { title: expect.any(String), price: expect.any(String) }
    expect(error).toMatchObject({ status: 400, statusCode: 400, errors, body: { errors } })
    const nested = { title: 'Ada', publisherId: 1, chapters: [{ name: 'one' }, { name: '' }] }
    const message = { 'chapters.1.name': expect.any(String) }
    await expect(refine.create({ resource: 'book', variables: nested })).rejects.toMatchObject({ errors: message })
    await expect(refine.updateMany({ resource: 'book', ids: [1, 9], variables: { price: 1 } })).rejects.toThrow()
    expect((await admin.getOne('book', { id: 1 })).data.price).toBe(5)
  })
})
