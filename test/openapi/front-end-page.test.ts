import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { createTables, crudPlugin, defineResources, neededBy, needs, openApiOf } from 'fastify-crud'
import createClient from 'openapi-fetch'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases } from '../support/databases.ts'
import { blocksOf } from '../support/doc-pages.ts'
import { mistakesIn } from './mistakes-in.ts'

/** The resources of the page. */
const resources = defineResources({
  publisher: { fields: { name: Type.String({ minLength: 1 }) }, relations: { books: neededBy.many('book') } },
  book: {
    fields: { title: Type.String({ minLength: 1 }), price: Type.Optional(Type.Number({ minimum: 0 })) },
    relations: { publisher: needs.one('publisher') },
  },
})

const code = blocksOf('docs/front-end.md')
  .filter(({ language }) => language === 'typescript')
  .map(({ text }) => text)
  .join('\n')

test('the code of the page compiles with the types of the document', async () => {
  const document = Buffer.from(JSON.stringify(openApiOf(resources)))
  const types = astToString(await openapiTS(document, { defaultNonNullable: false }))
  expect(mistakesIn({ 'schema.ts': types, 'page.ts': code })).toEqual([])
})

interface Form {
  readonly title: string
  readonly price: number | null
  readonly publisherId: number
}

/** What the code of the page exports. */
interface Page {
  cheapBooks(publisherIds: number[]): Promise<{ id: number; title?: string; price?: number | null }[]>
  findBooks(word: string): Promise<{ title: string }[]>
  allBooks(): AsyncGenerator<{ title: string }>
  openBook(id: number): Promise<{ etag: string | undefined }>
  saveBook(id: number | undefined, form: Form, etag?: string): Promise<{ data?: { id: number }; error?: object }>
  formErrors(problem: object): { fields: Record<string, string>; form: string | undefined }
}

describe('the code of the page', () => {
  const app = Fastify()
  let close: () => Promise<void>
  let page: Page

  beforeAll(async () => {
    const open = await (databases[0] as (typeof databases)[number]).open()
    close = open.close
    await createTables(open.db, resources)
    await app.register(crudPlugin, { db: open.db, resources })
    for (const name of ['Ink', 'Quill']) await app.inject({ method: 'POST', url: '/api/publisher', payload: { name } })
    for (const [title, price, publisherId] of [
      ['Emma', 5, 1],
      ['Dune', 10, 2],
      ['Kim', 15, 2],
    ]) {
      await app.inject({ method: 'POST', url: '/api/book', payload: { title, price, publisherId } })
    }
    page = run(code)
  })
  afterAll(async () => {
    await app.close()
    await close()
  })

  /** Runs the page's code with a client that asks the service. */
  function run(text: string): Page {
    const withFetch = (options: object) => createClient({ ...options, fetch: ask })
    const script = ts.transpile(text.replaceAll(/^import .*$/gm, ''), {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.CommonJS,
    })
    const exported = {}
    new Function('createClient', 'exports', script)(withFetch, exported)
    return exported as Page
  }

  async function ask(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    const payload = await request.text()
    const answer = await app.inject({
      method: request.method as 'GET',
      url: pathname + search,
      headers: Object.fromEntries(request.headers),
      ...(payload !== '' && { payload }),
    })
    const body = answer.payload === '' ? null : answer.payload
    return new Response(body, { status: answer.statusCode, headers: answer.headers as Record<string, string> })
  }

  test('lists with filters and fields, and with a filter in JSON', async () => {
    expect(await page.cheapBooks([1, 2])).toEqual([
      { id: 1, title: 'Emma', price: 5 },
      { id: 2, title: 'Dune', price: 10 },
    ])
    expect((await page.findBooks('quill')).map(({ title }) => title)).toEqual(['Dune', 'Kim'])
  })

  test('goes from page to page', async () => {
    const titles: string[] = []
    for await (const { title } of page.allBooks()) titles.push(title)
    expect(titles).toEqual(['Dune', 'Emma', 'Kim'])
  })

  test('creates, and changes only what it has read', async () => {
    const created = await page.saveBook(undefined, { title: 'Ulysses', price: null, publisherId: 1 })
    const id = created.data?.id as number
    const { etag } = await page.openBook(id)
    const changed = { title: 'Ulysses', price: 20, publisherId: 1 }
    expect((await page.saveBook(id, changed, etag)).error).toBe(undefined)
    const { error } = await page.saveBook(id, { ...changed, price: 30 }, etag)
    expect(page.formErrors(error as object)).toEqual({
      fields: {},
      form: 'Somebody else has changed this. Load it again.',
    })
  })

  test('says at the fields of a form what is wrong', async () => {
    const { error } = await page.saveBook(undefined, { title: '', price: -1, publisherId: 1 })
    expect(page.formErrors(error as object)).toEqual({
      fields: { title: 'Please fill this in', price: 'At least 0' },
      form: undefined,
    })
    const unknown = await page.saveBook(undefined, { title: 'a', price: 1, publisherId: 9 })
    expect(page.formErrors(unknown.error as object).fields).toEqual({ publisherId: 'This is not there any more' })
    const nested = await app.inject({
      method: 'POST',
      url: '/api/publisher',
      payload: [{ name: 'Bay' }, { name: '' }, { name: 'Cove', 'a/b': 1 }],
    })
    expect(page.formErrors(nested.json()).fields).toEqual({
      '1.name': 'Please fill this in',
      '2.a/b': expect.any(String),
    })
  })
})
