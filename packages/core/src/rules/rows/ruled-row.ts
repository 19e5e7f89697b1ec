import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, Resource } from '../../model/model.ts'
import { isNew, type MemberValues, type RecordData, type RowId } from '../../planning/rows.ts'
import type { RuleAction } from '../rule-types.ts'
import type { RowOwner } from './tree.ts'

/** A row for which rules run, as far as it is known. */
export interface RuledRow {
  /** Of the model that the rules were checked with. */
  readonly resource: Resource
  readonly id: RowId
  action: RuleAction
  /** A deleted row comes back: its `action` is `Add`. */
  isRestored: boolean
  /** Nothing of the row itself changes, but something below it. */
  isAbove: boolean
  /** The relations below which something changes. */
  readonly changedBelow: string[]
  /** To the row in the body, or to the nearest value that the body has. */
  readonly pointer: string
  /** The body has an object for the row, so its fields have pointers. */
  isInBody: boolean
  /** Whether the caller may see the row; undefined if the database has to be asked. */
  isShown: boolean | undefined
  owner: RowOwner
  /** The owner's row, if it is known and rules run for it or take it. */
  above: RuledRow | undefined
  /** The rules of a row that it owns take it as the owner. */
  isTaken: boolean
  /** The row before the write, by the names in JSON. Links are records with an id. Undefined if it has to be read, or is new. */
  record: RecordData | undefined
  /** The values that the plan sets. */
  values: MemberValues | undefined
  /** The foreign keys that become null because their records are removed. */
  readonly cleared: string[]
  readonly linked: [Link, RowId][]
  readonly unlinked: [Link, Id][]
}

/** A row of which nothing else is known. */
export function ruledRow(resource: Resource, id: RowId, pointer: string): RuledRow {
  return {
    resource,
    id,
    action: 'Edit',
    isRestored: false,
    isAbove: false,
    changedBelow: [],
    pointer,
    isInBody: false,
    isShown: isNew(id) || undefined,
    owner: undefined,
    above: undefined,
    isTaken: false,
    record: undefined,
    values: undefined,
    cleared: [],
    linked: [],
    unlinked: [],
  }
}

/** The ids of new rows, by their numbers; undefined where they are not known yet. */
export type NewRowIds = readonly (Id | undefined)[]

export function idOfRow({ id }: Pick<RuledRow, 'id'>, ids: NewRowIds): Id | undefined {
  return isNew(id) ? ids[id.new] : id
}
