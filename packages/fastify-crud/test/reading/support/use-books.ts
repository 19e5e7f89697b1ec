import { expect } from 'vitest'
import type { AppOptions, TestApp } from '../../../../../test/support/app.ts'
import type { TestDatabase } from '../../../../../test/support/databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { books } from './books.ts'
import { expectRefused } from './expect-refused.ts'
import { type BookIds, fillBooks } from './fill-books.ts'
import { useFilledApp } from './use-filled-app.ts'

export interface BookTest {
  readonly service: TestApp
  /** The ids of what the tables hold. */
  readonly ids: BookIds
  /** The store on the instance, as the page describes what it takes. */
  store(resource: keyof (typeof books)['descriptors']): QueryStore
  /** The titles of the books that a list with this query shows, in its order. */
  titles(query: string): Promise<string[]>
  /** One property of each row that this list shows, in its order. */
  values(path: string, property: string): Promise<JsonBody[]>
  /** A list of books with this query must be 400, with a problem that names each of these. */
  refused(query: string, ...names: readonly string[]): Promise<void>
  /** GET of this path must be 400, with a problem that names each of these. */
  refusedAt(path: string, ...names: readonly string[]): Promise<void>
}

export interface QueryStore {
  list(query?: object): Promise<JsonBody>
  group(query?: object): Promise<JsonBody>
  find(id: number, query?: object): Promise<JsonBody>
}

/** A service over the books, filled once for all tests of a `describe`: they must only read. */
export function useBooks(kind: TestDatabase, options: AppOptions = {}): BookTest {
  const ids = {} as BookIds
  const service = useFilledApp(kind, books, options, async (db) => void Object.assign(ids, await fillBooks(db)))
  const values: BookTest['values'] = async (path, property) => {
    const { rows } = await service.read(path)
    return rows.map((row: JsonBody) => row[property])
  }
  const refusedAt: BookTest['refusedAt'] = async (path, ...names) => expectRefused(await service.get(path), ...names)
  return {
    service,
    ids,
    store: (resource) => service.fastify.getDecorator<Record<string, QueryStore>>('crud')[resource] as QueryStore,
    titles: (query) => values(`/api/book?${query}`, 'title'),
    values,
    refused: (query, ...names) => refusedAt(`/api/book?${query}`, ...names),
    refusedAt,
  }
}

/** Fails unless the list shows these books and counts them. */
export async function expectTitles(test: BookTest, query: string, titles: readonly string[]): Promise<void> {
  const { rows, count } = await test.service.read(`/api/book?${query}`)
  expect(
    rows.map(({ title }: JsonBody) => title),
    query,
  ).toEqual(titles)
  expect(count, query).toBe(titles.length)
}
