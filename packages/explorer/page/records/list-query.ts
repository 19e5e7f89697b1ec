import type { ModelDocument } from '../model/model.ts'
import { defaultColumns } from '../model/names.ts'

/** Sort keys of an address: `-price,title`. */
export interface SortKey {
  readonly name: string
  readonly isDescending: boolean
}

export function sortIn(query: URLSearchParams): SortKey[] {
  const names = (query.get('sort') ?? '').split(',').filter((name) => name !== '')
  return names.map((name) => ({ name: name.replace(/^-/, ''), isDescending: name.startsWith('-') }))
}

/** A click on a heading: ascending, descending, then not at all. With `isMore`, it is one more key. */
export function nextSort(keys: readonly SortKey[], name: string, isMore: boolean): string {
  const before = keys.find((key) => key.name === name)
  const others = isMore ? keys.filter((key) => key.name !== name) : []
  const own =
    before === undefined ? [{ name, isDescending: false }] : before.isDescending ? [] : [{ name, isDescending: true }]
  return [...others, ...own].map((key) => `${key.isDescending ? '-' : ''}${key.name}`).join(',')
}

/** The columns that the address names, or those that a list has by itself. */
export function columnsIn(model: ModelDocument, resource: string, query: URLSearchParams): string[] {
  const named = query.get('fields')
  return named === null ? defaultColumns(model, resource) : splitNames(named)
}

const splitNames = (text: string): string[] => text.split(',').filter((name) => name !== '')

/**
 * The request of a page of the list: the address, with the columns that are shown. A column of a related record asks for
 * its id, too, as the service adds it by itself.
 */
export function requestOf(
  query: URLSearchParams,
  columns: readonly string[],
  pageSize: number,
  after: string | undefined,
): string {
  const request = new URLSearchParams(query)
  if (columns.length > 0) request.set('fields', columns.join(','))
  request.set('limit', String(pageSize))
  if (after !== undefined) request.set('after', after)
  else request.set('count', '1000')
  return request.toString()
}

/** The value of a column: `publisher.name` is one of a related record. */
export function valueAt(row: Readonly<Record<string, unknown>>, column: string): unknown {
  if (column in row) return row[column]
  return column.split('.').reduce<unknown>((value, name) => {
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
  }, row)
}
