import { checkTables, createTables, generateMigrations } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { audit, countOf, defineResources, knows, type Model, needs, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { buildApp, type TestApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const text = Type.String()

/** A model with everything that has SQL of its own; its resources have fields in columns with these names, too. */
function modelWith(names: readonly string[]): Model {
  const extra = Object.fromEntries(names.map((_, at) => [`f${at}`, Type.Optional(text)]))
  const columns = Object.fromEntries(names.map((name, at) => [`f${at}`, name]))
  const search = { fields: ['title'], index: true } as const
  const fields = { title: text, ...extra }
  return defineResources({
    shelf: {
      ...{ fields, columns, search },
      relations: { books: owns.many('book'), next: knows.one('shelf'), lamp: owns.one('lamp') },
      computed: { bookCount: countOf('books') },
      unique: [['title']],
    },
    lamp: { fields, columns, relations: { shelf: ownedBy('shelf') } },
    book: {
      ...{ id: 'text', fields: { ...fields, pages: Type.Integer() }, columns, search, topLevel: true, groups: true },
      relations: { shelf: ownedBy('shelf'), tags: knows.many('tag'), maker: needs.one('maker') },
      unique: [['title']],
    },
    maker: { id: 'uuid', fields, columns, search },
    tag: { id: 'text', fields, columns, search, softDelete: 'goneAt' },
    pair: { id: ['title', 'part'], fields: { ...fields, part: Type.Integer() }, columns, search },
    change: {
      fields: {
        ...{ ...extra, at: Type.String({ format: 'date-time' }), resource: text, recordId: text, action: text },
        ...{ before: Type.Optional(Type.Any()), after: Type.Optional(Type.Any()), caller: Type.Optional(Type.Any()) },
      },
      columns,
    },
  } as never) as unknown as Model
}

/** Writes and reads in all ways; the answers, without what is told of the names. */
async function story(app: TestApp, values: Readonly<Record<string, string>>): Promise<readonly unknown[]> {
  const answers: unknown[] = []
  const send = async (method: string, path: string, body?: unknown, prefer = ''): Promise<JsonBody> => {
    const answer = await app.request(method, path, body, prefer === '' ? {} : { prefer })
    answers.push([method, path.replaceAll(/[0-9a-f]{8}-[-0-9a-f]{27}/g, 'UUID'), answer.status, told(answer.body)])
    return answer.body
  }
  const maker = await send('POST', '/api/maker', { title: 'Ann', ...values })
  await send('POST', '/api/pair', [
    { title: 'red', part: 1, ...values },
    { title: 'red', part: 2, ...values },
  ])
  await send('POST', '/api/tag', { id: 'red', title: 'red', ...values })
  const book = (id: string) => ({ id, title: id, pages: 3, makerId: maker.id, tags: [{ id: 'red' }], ...values })
  const shelf = await send('POST', '/api/shelf', {
    ...{ title: 'first shelf', lamp: { title: 'lamp', ...values }, books: [book('aaa'), book('bbb')], ...values },
  })
  expect(shelf, JSON.stringify(shelf)).toMatchObject({ ...values, books: [values, values], lamp: values })
  await send('PUT', '/api/shelf/1', {
    title: 'first',
    books: [{ ...book('bbb'), title: 'ccc' }, book('ddd')],
    ...values,
  })
  await send('PATCH', '/api/shelf/1', { nextId: 1, books: [{ id: 'bbb', pages: 4 }], ...values })
  await send('PUT', '/api/book?by=title', [
    { ...book('bbb'), title: 'ccc', shelfId: 1 },
    { ...book('eee'), shelfId: 1 },
  ])
  await send('PATCH', '/api/book', [{ id: 'bbb', pages: 5, ...values }])
  await send('PATCH', '/api/book?filter[pages][gt]=3', { pages: 6 }, 'max-affected=9')
  for (const query of [
    ...['search=ccc', 'search=red', 'sort=-title&limit=1', 'filter[maker.title]=Ann&include=tags,maker'],
    ...['filter[title][icontains]=C&sort=maker.title', 'sort=shelf.title,-pages', 'filter[tags.title]=red'],
  ]) {
    await send('GET', `/api/book?${query}`)
  }
  await send('GET', '/api/shelf?search=first&sort=-count(books)&filter[bookCount][gte]=1')
  await send('GET', '/api/book/ddd')
  await send('GET', '/api/book/$group?by=title&values=count(),sum(pages)&sort=-count()')
  await send('GET', '/api/pair/red,1')
  await send('DELETE', '/api/book/bbb/tags/red')
  await send('GET', '/api/pair?search=red')
  await send('DELETE', '/api/tag/red')
  await send('GET', '/api/tag?search=red')
  await send('DELETE', '/api/book?filter[pages][gt]=5', undefined, 'max-affected=9')
  await send('DELETE', '/api/shelf/1')
  await send('GET', '/api/shelf')
  await send('GET', '/api/change?sort=id')
  return answers
}

function told(body: JsonBody): unknown {
  if (Array.isArray(body)) return body.map(told)
  if (typeof body !== 'object' || body === null) return body
  const own = Object.entries(body).filter(([name]) => !/^f\d+$|^at$|Id$/.test(name))
  return Object.fromEntries(
    own.map(([name, value]) => [name, name === 'id' && String(value).length === 36 ? '' : told(value)]),
  )
}

/** What the SQL of the library has for names, and for words. */
function wordsIn(statements: readonly string[]): readonly string[] {
  // Queries of the catalogs read no table of the model.
  const own = statements.filter((one) => !/\b(?:pg_[a-z]+\.|from pg_|pragma_|sqlite_schema)/.test(one))
  const words = own.flatMap((one) =>
    [...one.replaceAll(/'(?:[^']|'')*'/g, '').matchAll(/"((?:[^"]|"")+)"|[a-z_]\w*/gi)].map(
      ([word, name]) => name ?? word,
    ),
  )
  const taken =
    /^(?:crud_.*|f\d+|id|title|pages|part|at|resource|action|before|after|caller|goneAt|(?:shelf|next|book|tag|maker|record)Id|true|false|json_each|.*_(?:idx|f?key|pkey))$/i
  return [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => !taken.test(word)).sort()
}

describeOnBoth('columns with the names that the SQL of the library has', (setup) => {
  const open = async (names: readonly string[], statements: string[]) => {
    const resources = modelWith(names)
    const app = await buildApp(setup, resources, {
      plugin: { rules: { book: audit('change') } } as object,
      tables: async ({ db, statements: log }) => {
        statements.push(...(await log.record(() => createTables(db, resources))))
      },
    })
    expect(await checkTables(app.db, resources)).toEqual([])
    expect(await generateMigrations(app.db, resources)).toMatchObject({ files: [], byHand: [] })
    return app
  }

  test('change no answer', async () => {
    const statements: string[] = []
    const app = await open([], statements)
    let expected: readonly unknown[] = []
    statements.push(
      ...(await app.statements(async () => {
        expected = await story(app, {})
      })),
    )
    await app.close()
    const words = wordsIn(statements)
    expect(words.length).toBeGreaterThan(120)
    for (let at = 0; at < words.length; at += 100) {
      const names = words.slice(at, at + 100)
      const other = await open(names, [])
      expect(await story(other, Object.fromEntries(names.map((name, at) => [`f${at}`, name])))).toEqual(expected)
      await other.close()
    }
  })
})
