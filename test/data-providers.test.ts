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
  | 'create'
  | 'createMany'
  | 'update'
  | 'updateMany'
  | 'deleteOne'
  | 'deleteMany'

type Provider = Readonly<Record<Method, (...given: unknown[]) => Promise<JsonBody>>>

/** The provider of the page, whose requests go to the service. */
function providerOn(app: FastifyInstance): Provider {
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
  return new Function('fetch', `${script}\nreturn refineProvider`)(ask)
}

describe.each(databases)('the data provider of the page, on $name,', (database) => {
  let app: FastifyInstance
  let close: () => Promise<void>
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
    refine = providerOn(app)
  })
  afterEach(async () => {
    await app.close()
    await close()
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
})
