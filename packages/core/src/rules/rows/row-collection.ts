import type { Id } from '../../model/ids.ts'
import type { Model, Resource } from '../../model/model.ts'
import type { Draft } from '../../plan/body/draft.ts'
import type { Changes, Update } from '../../plan/diff/changes.ts'
import type { Listed } from '../../plan/diff/diff.ts'
import { findListed } from '../../plan/diff/find-listed.ts'
import type { RecordData } from '../../plan/record-data.ts'
import { isNew, type RowId } from '../../plan/row-id.ts'
import type { RuleScope } from '../rule-scope.ts'
import type { RuledRow } from './ruled-row.ts'
import type { ReadRecord, RowOwner, Tree } from './tree.ts'

/** What is known of a write when it is planned. */
export interface PlannedWrite {
  readonly changes: Changes
  /** What the body says of records that exist. */
  readonly listed: readonly Listed[]
  /** The record that the request names and all that it owns, as the caller sees it; empty for a new record. */
  readonly tree: () => Tree
  /** Whether the tree has all fields and links of a record. */
  readonly isWhole: (read: Pick<ReadRecord, 'resource' | 'record'>) => boolean
  /** The records that the request's path names, down to its own. */
  readonly onPath: readonly RecordOnPath[]
}

export interface RecordOnPath {
  readonly resource: Resource
  readonly id: Id
  readonly owner: RowOwner
  /** As the caller sees it. Undefined for an owner, which is not read. */
  readonly record: RecordData | undefined
  readonly isInBody: boolean
}

/** The rows of a write that rules may run for, each once. */
export interface RowCollection {
  all(): readonly RuledRow[]
  /** Whether rules run for rows of the resource. */
  isInScope(resource: Resource): boolean
  /** The row, if it is among them already. */
  known(resource: Resource, id: RowId): RuledRow | undefined
  /**
   * The row, to be filled in; undefined if no rule runs for such rows. `pointer`: to the nearest place in the body, if the row is
   * not in it.
   */
  at(resource: Resource, id: RowId, pointer: string): RuledRow | undefined
  /** The row of an update, which brings along what is known of it. */
  addUpdate(update: Update): void
}

export function rowCollection(model: Model, scope: RuleScope, write: PlannedWrite): RowCollection {
  const all: RuledRow[] = []
  const found = new Map<string, Map<RowId, RuledRow>>()
  const draftOf = findListed(write.listed)

  function storedRow(resource: Resource, id: Id, pointer: string): RuledRow {
    const named = onPathOf(write.onPath, resource, id)
    if (named !== undefined) return rowOnPath(resource, named, write)
    return rowInTree(resource, id, draftOf(resource, id), pointer, write)
  }

  /** The row that is kept, or else is made and kept. */
  function keptOr(key: string, id: RowId, make: (resource: Resource) => RuledRow): RuledRow | undefined {
    if (!scope.ofRows.has(key) && !scope.isTaken.has(key)) return undefined
    let rows = found.get(key)
    const known = rows?.get(id)
    if (known !== undefined) return known
    const row = make(model.resources.get(key) as Resource)
    all.push(row)
    if (rows === undefined) {
      rows = new Map()
      found.set(key, rows)
    }
    rows.set(id, row)
    return row
  }

  return {
    all: () => all,
    isInScope: ({ key }) => scope.ofRows.has(key),
    known: ({ key }, id) => found.get(key)?.get(id),
    at: ({ key }, id, pointer) =>
      keptOr(key, id, (resource) => (isNew(id) ? bareRow(resource, id, pointer) : storedRow(resource, id, pointer))),
    addUpdate: (update) =>
      void keptOr(update.resource.key, update.id, (resource) => updatedRow(resource, update, write)),
  }
}

function bareRow(resource: Resource, id: RowId, pointer: string): RuledRow {
  return {
    resource,
    id,
    action: 'Edit',
    isAbove: false,
    changedBelow: [],
    pointer,
    isInBody: false,
    isShown: isNew(id) || undefined,
    owner: undefined,
    record: undefined,
    values: undefined,
    above: undefined,
    isTaken: false,
    cleared: [],
    linked: [],
    unlinked: [],
  }
}

function updatedRow(
  resource: Resource,
  { resource: read, id, owner, before, values, pointer }: Update,
  { isWhole, onPath }: PlannedWrite,
): RuledRow {
  const row = bareRow(resource, id, pointer)
  row.isInBody = true
  row.isShown = true
  row.owner = owner ?? onPathOf(onPath, resource, id)?.owner
  if (isWhole({ resource: read, record: before })) row.record = before
  row.values = values
  return row
}

function rowOnPath(
  resource: Resource,
  { resource: read, id, owner, record, isInBody }: RecordOnPath,
  { isWhole }: PlannedWrite,
): RuledRow {
  const row = bareRow(resource, id, '')
  row.isInBody = isInBody
  row.isShown = true
  row.owner = owner
  if (record !== undefined && isWhole({ resource: read, record })) row.record = record
  return row
}

function rowInTree(
  resource: Resource,
  id: Id,
  draft: Draft | undefined,
  pointer: string,
  { tree, isWhole }: PlannedWrite,
): RuledRow {
  const row = bareRow(resource, id, draft?.pointer ?? pointer)
  row.isInBody = draft !== undefined
  const read = tree().get(resource.key)?.get(id)
  if (read === undefined) return row
  row.isShown = true
  row.owner = read.owner
  if (isWhole(read)) row.record = read.record
  return row
}

function onPathOf(onPath: readonly RecordOnPath[], { key }: Resource, id: Id): RecordOnPath | undefined {
  return onPath.find((one) => one.id === id && one.resource.key === key)
}
