import { createStore, defineResources, knows, needs, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { CompiledQuery } from 'kysely'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import type { Resource } from '../../src/model/model.ts'
import { type QueryContext, queryContext } from '../../src/sql/context.ts'
import type { Prepared, Row, SlotValues } from '../../src/sql/text/prepare.ts'

/** A resource with every relation kind, and one whose records are trees. */
export const bookshop = defineResources({
  publisher: { fields: { name: Type.String({ maxLength: 100 }) } },
  author: { fields: { name: Type.String({ maxLength: 100 }) } },
  series: { fields: { title: Type.String({ maxLength: 100 }), about: Type.Optional(Type.String()) } },
  tag: { fields: { word: Type.String({ maxLength: 100 }) } },
  book: {
    table: 'books',
    fields: { title: Type.String(), price: Type.Optional(Type.Number()), isOut: Type.Boolean() },
    columns: { title: 'book_title' },
    relations: {
      publisher: needs.one('publisher'),
      authors: needs.many('author'),
      cover: owns.one('cover'),
      chapters: owns.many('chapter'),
      series: knows.one('series'),
      tags: knows.many('tag'),
    },
  },
  cover: { fields: { url: Type.String() }, relations: { book: ownedBy('book') } },
  chapter: { fields: { title: Type.String() }, relations: { book: ownedBy('book'), editor: knows.one('author') } },
  category: {
    fields: { name: Type.String() },
    relations: { parent: ownedBy('category', { optional: true }), categories: owns.many('category') },
  },
})

export function resourceOf(key: string): Resource {
  const resource = bookshop.resources.get(key)
  if (resource === undefined) throw new TypeError(`no resource ${key}`)
  return resource
}

/** Fills a new database: two books, and a category with a child and a grandchild. All ids count from 1. */
export async function fillBookshop({ db }: OpenDatabase): Promise<QueryContext> {
  await createTables(db, bookshop)
  const store = createStore({ db, resources: bookshop })
  await store.resource('publisher').create({ name: 'Ink' })
  for (const name of ['Ada', 'Bo']) await store.resource('author').create({ name })
  await store.resource('series').create({ title: 'Firsts' })
  for (const word of ['new', 'old']) await store.resource('tag').create({ word })
  await store.resource('book').create({
    title: 'One',
    isOut: true,
    price: 12.5,
    publisherId: 1,
    authors: [{ id: 2 }, { id: 1 }],
    cover: { url: 'one.png' },
    chapters: [{ title: 'Start', editorId: 2 }, { title: 'End' }],
    seriesId: 1,
    tags: [{ id: 2 }],
  })
  await store.resource('book').create({ title: 'Two', isOut: false, publisherId: 1, authors: [{ id: 1 }] })
  await store.resource('category').create({
    name: 'root',
    categories: [{ name: 'child', categories: [{ name: 'grandchild', categories: [] }] }],
  })
  return queryContext(db)
}

/** The rows that a statement gives. */
export async function rowsOf({ db }: QueryContext, statement: Prepared, values: SlotValues): Promise<readonly Row[]> {
  return (await db.executeQuery<Row>(CompiledQuery.raw(statement.sql, [...statement.parameters(values)]))).rows
}

/** The JSON that it gives in the column `json` of its only row. */
export async function jsonOf(context: QueryContext, statement: Prepared, values: SlotValues): Promise<unknown> {
  const [row] = await rowsOf(context, statement, values)
  return row && JSON.parse(row.json as string)
}

/** SQL with a line for each clause, further in where it stands in parentheses. */
export function inLines(statement: Prepared | string): string {
  const text = typeof statement === 'string' ? statement : statement.sql
  let depth = 0
  const parts = text.match(/'(?:[^']|'')*'|"(?:[^"]|"")*"|[()]|[^'"()]+/g) ?? []
  const lines = parts.map((part) => {
    if (/^['"]/.test(part)) return part
    if (part === '(') depth += 1
    if (part === ')') depth -= 1
    return part.replaceAll(CLAUSES, (_, clause: string) => `\n${'  '.repeat(depth)}${clause} `)
  })
  return `${lines.join('')}\n`
}

const CLAUSES = / (from|where|order by|limit|left join|cross join lateral|cross join|union all) /g
