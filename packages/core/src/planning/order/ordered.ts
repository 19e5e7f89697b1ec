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
  | { readonly step: 'number'; readonly resource: Resource; readonly rows: readonly (RowUpdate & RowNumber)[] }
  | { readonly step: 'number'; readonly relation: Link; readonly rows: readonly PairNumber[] }
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

/** The number of an element of an array that keeps its order. */
interface RowNumber {
  readonly id: Id
  readonly number: number
}

/** The number of a link to the record `id`. */
interface PairNumber extends RowNumber {
  readonly owner: Id
}

/** What is true of a kind of step. */
interface StepTraits {
  /** What its errors are about. */
  readonly doing: Doing
  /**
   * What it does to rows, where it shares a statement with others: no two of them write the same row. `'any'`: it may
   * write a row that another step writes.
   */
  readonly does: 'insert' | 'update' | 'delete' | 'any'
  /** Each of its rows stands in the body. */
  readonly isOfBody: boolean
  /** The database has to write all of its rows. Else others, or an earlier step, may have removed some. */
  readonly isCounted: boolean
}

export type Doing = 'write' | 'remove' | 'park' | 'swap'

const STEPS: Readonly<Record<OrderedStep['step'], StepTraits>> = {
  unlink: { doing: 'remove', does: 'delete', isOfBody: false, isCounted: false },
  unlinkAll: { doing: 'remove', does: 'any', isOfBody: false, isCounted: false },
  clear: { doing: 'remove', does: 'any', isOfBody: false, isCounted: false },
  release: { doing: 'remove', does: 'any', isOfBody: false, isCounted: false },
  delete: { doing: 'remove', does: 'delete', isOfBody: false, isCounted: true },
  stamp: { doing: 'remove', does: 'any', isOfBody: false, isCounted: true },
  restore: { doing: 'write', does: 'any', isOfBody: false, isCounted: true },
  park: { doing: 'park', does: 'any', isOfBody: true, isCounted: true },
  // If its rows are written singly, it is no swap.
  swap: { doing: 'swap', does: 'update', isOfBody: false, isCounted: true },
  update: { doing: 'write', does: 'update', isOfBody: true, isCounted: true },
  // What one row gives up, another one may take.
  number: { doing: 'write', does: 'any', isOfBody: false, isCounted: true },
  insert: { doing: 'write', does: 'insert', isOfBody: true, isCounted: true },
  link: { doing: 'write', does: 'insert', isOfBody: true, isCounted: true },
}

export function traitsOf({ step }: OrderedStep): StepTraits {
  return STEPS[step]
}

function listOf(step: OrderedStep): 'rows' | 'pairs' | 'ids' {
  return 'rows' in step ? 'rows' : 'pairs' in step ? 'pairs' : 'ids'
}

function itemsOf(step: OrderedStep): readonly unknown[] {
  return 'rows' in step ? step.rows : 'pairs' in step ? step.pairs : step.ids
}

/** How many rows or ids a step has. */
export function sizeOfStep(step: OrderedStep): number {
  return itemsOf(step).length
}

/** The same kind of step for so many of its rows or ids at a time. */
export function cutStep(step: OrderedStep, most: number): readonly OrderedStep[] {
  const items = itemsOf(step)
  const cut = (_: unknown, index: number) => items.slice(index * most, (index + 1) * most)
  const parts = Array.from({ length: Math.ceil(items.length / most) }, cut)
  return parts.map((part) => ({ ...step, [listOf(step)]: part }) as OrderedStep)
}

/** How many rows a step writes. Undefined where some may have been removed before. */
export function rowsOfStep(step: OrderedStep): number | undefined {
  return traitsOf(step).isCounted ? sizeOfStep(step) : undefined
}
