import type { Id } from '../model/ids.ts'
import type { Model, Resource } from '../model/model.ts'
import type { Draft } from '../plan/body/draft.ts'
import type { Changes } from '../plan/diff/changes.ts'
import type { Listed } from '../plan/diff/diff.ts'
import { isNew, type RowId } from '../plan/row-id.ts'
import type { Concern } from './concern.ts'
import type { RuledRow } from './ruled-row.ts'
import type { ReadRecord, RowOwner, Tree } from './tree.ts'

/** What is known of a write when it is planned. */
export interface PlannedWrite {
  readonly changes: Changes
  /** What the body says of records that exist. */
  readonly listed: readonly Listed[]
  /** The record that the request names and all that it owns, as the caller sees it; empty for a new record. */
  readonly tree: Tree
  /** Whether the tree has all fields and links of a record. */
  readonly isWhole: (read: ReadRecord) => boolean
  /** The owners that the path names. */
  readonly pathOwners: readonly PathOwner[]
}

export interface PathOwner {
  readonly resource: Resource
  readonly id: Id
  readonly owner: RowOwner
}

/** The rows of a write that rules may be told of, each once. */
export interface RowCollection {
  all(): readonly RuledRow[]
  /** Whether rules are told of rows of the resource. */
  isConcerned(resource: Resource): boolean
  has(resource: Resource, id: RowId): boolean
  /**
   * The row, to be filled in; undefined if no rule is told of such rows. `pointer`: to the nearest place in the body, if the row is
   * not in it.
   */
  at(resource: Resource, id: RowId, pointer: string): RuledRow | undefined
}

export function rowCollection(model: Model, concern: Concern, write: PlannedWrite): RowCollection {
  const found = new Map<string, Map<RowId, RuledRow>>()
  const drafts = draftsOf(write.listed)
  return {
    all: () => [...found.values()].flatMap((rows) => [...rows.values()]),
    isConcerned: ({ key }) => concern.ofRows.has(key),
    has: ({ key }, id) => found.get(key)?.has(id) ?? false,
    at({ key }, id, pointer) {
      if (!concern.ofRows.has(key)) return undefined
      const rows = found.get(key) ?? new Map<RowId, RuledRow>()
      const known = rows.get(id)
      if (known !== undefined) return known
      const resource = model.resources.get(key) as Resource
      const draft = isNew(id) ? undefined : drafts.get(key)?.get(id)
      const row = isNew(id) ? newRow(resource, id, pointer) : storedRow(resource, id, draft, pointer, write)
      found.set(key, rows.set(id, row))
      return row
    },
  }
}

function draftsOf(listed: readonly Listed[]): ReadonlyMap<string, ReadonlyMap<Id, Draft>> {
  const drafts = new Map<string, Map<Id, Draft>>()
  for (const { id, draft } of listed) {
    const { key } = draft.resource
    const known = drafts.get(key) ?? new Map<Id, Draft>()
    drafts.set(key, known.set(id, draft))
  }
  return drafts
}

function newRow(resource: Resource, id: RowId, pointer: string): RuledRow {
  return {
    resource,
    id,
    action: 'Edit',
    isAbove: false,
    changedBelow: new Set(),
    pointer,
    isInBody: false,
    isShown: isNew(id) || undefined,
    owner: undefined,
    record: undefined,
    values: undefined,
    cleared: new Set(),
    linked: [],
    unlinked: [],
  }
}

function storedRow(
  resource: Resource,
  id: Id,
  draft: Draft | undefined,
  pointer: string,
  { tree, isWhole, pathOwners }: PlannedWrite,
): RuledRow {
  const row = newRow(resource, id, draft?.pointer ?? pointer)
  row.isInBody = draft !== undefined
  const read = tree.get(resource.key)?.get(id)
  if (read !== undefined) {
    row.isShown = true
    row.owner = read.owner
    if (read.owner !== undefined && isWhole(read)) row.record = read.record
    return row
  }
  const onPath = pathOwners.find((one) => one.resource.key === resource.key && one.id === id)
  if (onPath === undefined) return row
  row.isShown = true
  row.owner = onPath.owner
  row.pointer = ''
  return row
}
