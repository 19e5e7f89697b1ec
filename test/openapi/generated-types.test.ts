import { join } from 'node:path'
import { openApiOf } from '@fastify-crud/core/schema'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { library } from '../../packages/core/test/schema/library.ts'

const CALLS = `
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.ts'

const client = createClient<paths>({ baseUrl: 'https://library.example' })
type Schemas = components['schemas']

export async function use(): Promise<void> {
  const list = await client.GET('/api/book', { params: { query: { limit: 10 } } })
  const count: number | undefined = list.data?.count
  const titles: string[] | undefined = list.data?.rows.map(({ title }) => title)
  const code: string | undefined = list.error?.code

  const filter = { price: { gte: 5 }, 'publisher.name': 'Ink', or: [{ chapters: { some: { title: 'One' } } }] }
  const fits: Schemas['book.filter'] = filter
  // @ts-expect-error the price is a number
  const misfit: Schemas['book.filter'] = { not: { price: { gte: '5' } } }
  const byPrice: paths['/api/book']['get']['parameters']['query'] = {
    sort: ['-price', 'publisher.name'],
    'filter[price]': { gte: 5, lt: 10, null: false },
    'filter[title]': 'Emma',
    'filter[publisherId]': { in: [1, 2] },
    fields: ['title', 'count(tags)'],
    include: ['-chapters', 'publisher.books'],
    'nested[tags]': { limit: 5, sort: '-word' },
  }
  await client.GET('/api/book', { params: { query: byPrice } })
  await client.GET('/api/book', { params: { query: { filter: JSON.stringify(filter) } } })
  await client.GET('/api/book/{book_id}/chapter', { params: { path: { book_id: 1 }, query: { 'filter[pages]': { gt: 1 } } } })
  // @ts-expect-error the price is a number
  await client.GET('/api/book', { params: { query: { 'filter[price]': 'x' } } })
  // @ts-expect-error an operator that numbers do not have
  await client.GET('/api/book', { params: { query: { 'filter[price]': { startsWith: '1' } } } })
  // @ts-expect-error a field that is not there
  await client.GET('/api/book', { params: { query: { 'filter[prise]': 1 } } })
  await client.GET('/api/book/{id}', { params: { path: { id: 1 }, query: { include: ['tags'], 'nested[tags]': { limit: 5 } } } })
  // @ts-expect-error not of a single record
  await client.GET('/api/book/{id}', { params: { path: { id: 1 }, query: { sort: ['title'] } } })

  const { data: book } = await client.GET('/api/book/{id}', { params: { path: { id: 1 } } })
  if (book === undefined) return
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
  console.log(count, titles, code, price, notes, id, wrong, fits, misfit)
}
`

test('the types that openapi-typescript makes of the document compile, and type requests and answers', async () => {
  // Fields with a default may be left out of a request.
  const types = astToString(
    await openapiTS(Buffer.from(JSON.stringify(openApiOf(library, { guarded: false }))), { defaultNonNullable: false }),
  )
  expect(mistakesIn({ 'schema.ts': types, 'calls.ts': CALLS })).toEqual([])
})

/** What the compiler says of files that are in this folder only for it. */
function mistakesIn(files: Readonly<Record<string, string>>): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  }
  const texts = new Map(Object.entries(files).map(([name, text]) => [join(import.meta.dirname, name), text]))
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (name) => texts.has(name) || fileExists(name)
  host.readFile = (name) => texts.get(name) ?? readFile(name)
  host.getSourceFile = (name, version, ...rest) => {
    const text = texts.get(name)
    return text === undefined ? getSourceFile(name, version, ...rest) : ts.createSourceFile(name, text, version)
  }
  const program = ts.createProgram([...texts.keys()], options, host)
  return ts.getPreEmitDiagnostics(program).map(({ messageText, file, start = 0 }) => {
    const line = file?.text.slice(0, start).split('\n').length
    return `${file?.fileName}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })
}
