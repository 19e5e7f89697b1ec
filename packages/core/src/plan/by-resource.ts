import type { Resource } from '../model/model.ts'
import { byRank, sort } from './sort.ts'

/** Rows of one resource. */
export interface RowsOf<Row> {
  readonly resource: Resource
  readonly rows: Row[]
}

/** Rows by their resources, these in ascending order of rank. For few resources: each row is compared with them. */
export function byResource<Row extends { readonly resource: Resource }>(all: readonly Row[]): RowsOf<Row>[] {
  const found: RowsOf<Row>[] = []
  let last: RowsOf<Row> | undefined
  for (const row of all) {
    const { resource } = row
    if (last?.resource !== resource) {
      last = found.find((one) => one.resource === resource)
      if (last === undefined) {
        last = { resource, rows: [] }
        found.push(last)
      }
    }
    last.rows.push(row)
  }
  sort(found, byRank)
  return found
}
