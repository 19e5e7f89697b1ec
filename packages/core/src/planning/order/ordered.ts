import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, Reference, Resource } from '../../model/model.ts'
import type { Association, Insert, Update } from '../diff/changes.ts'
import type { RowId } from '../rows.ts'

/** The changes of a write, in the order in which a database takes them. */
export interface OrderedChanges {
  readonly steps: readonly OrderedStep[]
  /** All rows that are inserted. A new row's `new` is its index here. */
  readonly inserts: readonly Insert[]
  /** The records that the answer shows: those that the request names or creates, but for those that it deletes. */
  readonly results: readonly RowId[]
  /** Each row that is written is a step of its own. */
  readonly rowByRow: boolean
}

/** The same as a `Step` of a plan, but with parts of the model instead of their names. */
export type OrderedStep =
  | { readonly step: 'unlink'; readonly relation: Link; readonly pairs: readonly Association<Id>[] }
  | {
      readonly step: 'unlinkAll'
      readonly relation: Link
      readonly side: 'from' | 'to'
      readonly ids: readonly Id[]
    }
  | {
      readonly step: 'clear'
      readonly relation: Reference
      readonly ids: readonly Id[]
      readonly except?: readonly Id[] | undefined
    }
  | { readonly step: 'release'; readonly relation: Reference; readonly ids: readonly Id[] }
  | { readonly step: 'delete'; readonly resource: Resource; readonly ids: readonly Id[] }
  /** `at`: the moment, as soon as it is known. */
  | { readonly step: 'stamp'; readonly resource: Resource; readonly ids: readonly Id[]; readonly at?: string }
  | { readonly step: 'restore'; readonly resource: Resource; readonly ids: readonly Id[] }
  | { readonly step: 'park' | 'update'; readonly resource: Resource; readonly rows: readonly RowUpdate[] }
  | {
      readonly step: 'swap'
      readonly resource: Resource
      readonly rows: readonly RowUpdate[]
      readonly parked: readonly RowUpdate[]
    }
  | { readonly step: 'insert'; readonly resource: Resource; readonly rows: readonly Insert[] }
  | { readonly step: 'link'; readonly relation: Link; readonly pairs: readonly Association[] }

/** How rows are written. */
export interface WritingRows {
  /** Each row is a step of its own, so that an error of the database tells which row it refused. */
  readonly rowByRow: boolean
  /** Whether rows are parked where there is room. False after the tables had none: what is left is to swap. */
  readonly parks: boolean
}

export const AT_ONCE: WritingRows = { rowByRow: false, parks: true }

/** The new values of a row. */
export type RowUpdate = Pick<Update, 'id' | 'values' | 'pointer'>

/** How many rows or ids a step has. */
export function sizeOfStep(step: OrderedStep): number {
  return ('rows' in step ? step.rows : 'pairs' in step ? step.pairs : step.ids).length
}

/** How many rows a step writes. Undefined where rows may have been let go before, by others or by an earlier step. */
export function rowsOfStep(step: OrderedStep): number | undefined {
  switch (step.step) {
    case 'park':
    case 'update':
    case 'swap':
    case 'insert':
      return step.rows.length
    case 'link':
      return step.pairs.length
    case 'delete':
    case 'stamp':
    case 'restore':
      return step.ids.length
    case 'unlink':
    case 'unlinkAll':
    case 'clear':
    case 'release':
      return undefined
  }
}
