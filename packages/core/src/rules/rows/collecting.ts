import type { FieldRights } from '../../model/field-rights.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Model, Resource } from '../../model/model.ts'
import type { Changes } from '../../planning/diff/changes.ts'
import type { Listed } from '../../planning/diff/diff.ts'
import type { findListed } from '../../planning/diff/find-listed.ts'
import { isNew, type RowId } from '../../planning/rows.ts'
import type { Session } from '../../session/session.ts'
import type { RuleStatements } from '../../sql/statements.ts'
import type { RuleScope } from '../rule-scope.ts'
import type { RowLocks } from './row-locks.ts'
import { type RuledRow, ruledRow } from './ruled-row.ts'
import type { ReadRecord, RowOwner, Tree } from './tree.ts'

/** A write as it is planned, and the records that it has read. */
export interface PlannedWrite {
  readonly changes: Changes
  /** The records that the body lists. */
  readonly listed: readonly Listed[]
  /** The record that the request names and all that it owns, as the caller sees it; empty for a new record. */
  readonly tree: Tree
  /** The owners that the request's path names. They are not read. */
  readonly owners: readonly OwnerInPath[]
  /** A policy may hide links from the caller, so no record of the tree is complete. */
  readonly hidesLinks: boolean
  /** Of the caller: a record of the tree that lacks fields is not complete. */
  readonly fieldRights: FieldRights
}

export interface OwnerInPath {
  readonly resource: Resource
  readonly id: Id
  readonly owner: RowOwner
}

/** The rows of a write that rules may run for, each once, and the parts that are needed to find them. */
export interface Collecting {
  readonly model: Model
  readonly scope: RuleScope
  readonly statements: RuleStatements
  readonly locks: RowLocks
  readonly session: Session
  readonly write: PlannedWrite
  readonly draftOf: ReturnType<typeof findListed>
  /** In the order in which they were met. */
  readonly rows: RuledRow[]
  /** The rows by the keys of their resources and by their ids. */
  readonly byKey: Map<string, Map<RowId, RuledRow>>
}

/** The row, if it was met before. */
export function knownRow({ byKey }: Collecting, { key }: Resource, id: RowId): RuledRow | undefined {
  return byKey.get(key)?.get(id)
}

/** The row, to be filled in; undefined if no rule runs for such rows. `pointer`: for a row that the body does not list. */
export function rowAt(to: Collecting, { key }: Resource, id: RowId, pointer: string): RuledRow | undefined {
  const { model, scope, rows, byKey } = to
  if (!scope.ofRows.has(key) && !scope.isTaken.has(key)) return undefined
  const ofKey = byKey.get(key) ?? new Map<RowId, RuledRow>()
  const known = ofKey.get(id)
  if (known !== undefined) return known
  const resource = model.resources.get(key) as Resource
  const row = isNew(id) ? ruledRow(resource, id, pointer) : storedRow(to, resource, id, pointer)
  rows.push(row)
  byKey.set(key, ofKey.set(id, row))
  return row
}

function storedRow({ write, draftOf }: Collecting, resource: Resource, id: Id, pointer: string): RuledRow {
  const inPath = write.owners.find((one) => one.id === id && one.resource.key === resource.key)
  const draft = draftOf(resource, id)
  const row = ruledRow(resource, id, inPath === undefined ? (draft?.pointer ?? pointer) : '')
  row.isInBody = draft !== undefined
  const read = write.tree.get(resource.key)?.get(id)
  if (read === undefined && inPath === undefined) return row
  row.isShown = true
  row.owner = (inPath ?? read)?.owner
  if (read !== undefined && isComplete(write, read)) row.record = read.record
  return row
}

/** Whether a record was read with all fields and links. */
function isComplete(
  { hidesLinks, fieldRights }: PlannedWrite,
  { resource: { fields, links }, record }: ReadRecord,
): boolean {
  return !hidesLinks && fields.every(fieldRights.sees) && links.every(({ name }) => name in record)
}
