import Fastify from 'fastify'
import { type CrudOptions, crudPlugin } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { isPostgres } from '../src/databases.ts'
import { resources } from '../src/resources.ts'
import { forPages, type PageName, works } from '../src/works.ts'

/** A statement of this library, and its values for the number that a page depends on. */
export interface LibraryStatement {
  readonly sql: string
  toValues(number: number): unknown[]
}

/** Neither the size of a page nor a limit of the library. Its last two digits are not, either. */
const SAMPLE = 1757

/** The statement that this library sends for each page, to be sent without it. */
export async function libraryPages(location: string): Promise<Readonly<Record<PageName, LibraryStatement>>> {
  const sent: { sql: string; parameters: readonly unknown[] }[] = []
  const options = { resources, log: (event: { query: (typeof sent)[number] }) => void sent.push(event.query) }
  const db: CrudOptions['db'] = isPostgres(location) ? openPostgres(location, options) : openSqlite(location, options)
  await using app = Fastify()
  await app.register(crudPlugin, { db, resources, authorize: () => true })
  const found = new Map<PageName, LibraryStatement>()
  for (const name of Object.values(forPages((name) => name))) {
    await app.inject(works[name](SAMPLE).path)
    const { sql, parameters } = sent.at(-1) as (typeof sent)[number]
    found.set(name, { sql, toValues: (number) => parameters.map((value) => inPlaceOfSample(value, number)) })
  }
  return forPages((name) => found.get(name) as LibraryStatement)
}

function inPlaceOfSample(value: unknown, number: number): unknown {
  const text = String(value)
  const inPlace = text === String(SAMPLE) ? number : text === String(SAMPLE % 100) ? number % 100 : undefined
  if (inPlace === undefined) return value
  return typeof value === 'string' ? String(inPlace) : inPlace
}

/** What such a statement gives, with a cursor in place of the last record's values. */
export function withCursor(page: string): string {
  if (!page.endsWith('} ')) return page
  const end = page.lastIndexOf(NEXT) + NEXT.length
  return `${page.slice(0, end)}"${Buffer.from(page.slice(end, -2)).toString('base64url')}"}`
}

const NEXT = ',"next":'
