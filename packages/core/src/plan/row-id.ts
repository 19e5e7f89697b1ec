import type { Id } from '../model/ids.ts'

/** A row: the id of one that exists, or the index of one that the same plan inserts. */
export type RowId = Id | NewRow

export interface NewRow {
  readonly new: number
}

/** Whether the same plan inserts the row. If not, the row is named by its id. */
export function isNew(row: RowId): row is NewRow {
  return typeof row === 'object'
}
