import type { RowId } from './changes.ts'

/**
 * The ordered steps of a write, as data. Each touches one table; the rows of a step may be written in any order.
 * Values are by property name: fields, and foreign keys.
 */
export interface Plan {
  readonly steps: readonly Step[]
  /** The resource of each row that the plan inserts, by the row's number. */
  readonly inserted: readonly string[]
  /** The record that the request is about; undefined if the plan deletes it. */
  readonly result: RowId | undefined
}

export type Step =
  /** Link rows go. */
  | {
      readonly step: 'unlink'
      readonly relation: RelationName
      readonly pairs: readonly (readonly [from: number, to: number])[]
    }
  /** All link rows of some records go, whichever side of the link table these are on. */
  | {
      readonly step: 'unlinkAll'
      readonly relation: RelationName
      readonly side: 'from' | 'to'
      readonly ids: readonly number[]
    }
  /** Foreign keys that name records which are about to go become null. */
  | { readonly step: 'clear'; readonly relation: RelationName; readonly ids: readonly number[] }
  | { readonly step: 'delete'; readonly resource: string; readonly ids: readonly number[] }
  /** Rows give up unique values that others take, for values that are out of the way. */
  | { readonly step: 'park'; readonly resource: string; readonly rows: readonly UpdatedRow[] }
  | { readonly step: 'update'; readonly resource: string; readonly rows: readonly UpdatedRow[] }
  | { readonly step: 'insert'; readonly resource: string; readonly rows: readonly InsertedRow[] }
  /** Link rows are added, where they are not there yet. */
  | { readonly step: 'link'; readonly relation: RelationName; readonly pairs: readonly LinkedPair[] }

export interface RelationName {
  readonly resource: string
  readonly relation: string
}

export interface UpdatedRow {
  readonly id: number
  readonly values: Readonly<Record<string, unknown>>
  readonly pointer: string
}

export interface InsertedRow {
  /** The row's number, or the id that the request asks for. */
  readonly id: RowId
  readonly values: Readonly<Record<string, unknown>>
  readonly pointer: string
}

export interface LinkedPair {
  readonly from: RowId
  readonly to: number
  readonly pointer: string
}
