import type { Session } from '../../connection/session.ts'
import type { Id } from '../../model/ids.ts'
import type { Link, Reference, Resource } from '../../model/model.ts'
import type { RecordData } from '../../plan/record-data.ts'
import type { RecordOwner } from '../../plan/record-owner.ts'
import type { QueryContext } from '../../query/context.ts'
import { lockRowsQuery } from '../../query/reads/lock-rows-query.ts'
import { readUnshown } from '../../query/reads/read-unshown.ts'
import { type RowsAsked, rowSelection, rowsQuery } from '../../query/reads/rows-query.ts'
import { idSqlOf } from '../../query/text/id-sql-of.ts'
import { type Once, onceEach } from '../../query/text/once.ts'
import type { Prepared } from '../../query/text/prepare.ts'
import type { Selection } from '../../reading/select/selection.ts'

/** A row that was read for rules. */
export interface StoredRow {
  readonly record: RecordData
  readonly owner: RecordOwner | null
}

/** Reads and locks rows for rules, which see what no policy hides from them. */
export interface StoredRows {
  /** A list for each of the asked. */
  read(session: Session, asked: readonly RowsAsked[]): Promise<readonly (readonly StoredRow[])[]>
  /** Asks for rows as rules see them: by their ids, or by a relation that names them. */
  rows(resource: Resource, ids: readonly Id[]): RowsAsked
  naming(relation: Reference | Link, ids: readonly Id[]): RowsAsked
  /** Whether a writer locks rows: not where the database has one writer at a time. */
  readonly locksRows: boolean
  /** The topmost owners of records, whose locks keep others from the records. */
  topmost(session: Session, resource: Resource, ids: readonly Id[]): Promise<ReadonlyMap<Resource, readonly Id[]>>
  /** Locks rows in the order of their ids. Resolves to how many it has locked. */
  lockRows(session: Session, resource: Resource, ids: readonly Id[], waiting: 'waits' | 'skips'): Promise<number>
  /** Keeps others from naming the rows, which are going to be removed. */
  lockRemoved(session: Session, resource: Resource, ids: readonly Id[]): Promise<void>
}

export function storedRowsOf(context: QueryContext): StoredRows {
  const once: Once = onceEach()
  const selectionOf = (resource: Resource): Selection => once.of(resource, 'row', () => rowSelection(resource))
  const lockRemovedOf = (resource: Resource): Prepared =>
    once.of(resource, 'lock removed', () => lockRowsQuery(context, resource, 'for update', 'waits'))
  const lockOf = (resource: Resource, waiting: 'waits' | 'skips'): Prepared =>
    once.of(resource, `lock ${waiting}`, () => lockRowsQuery(context, resource, 'for no key update', waiting))

  async function read(session: Session, asked: readonly RowsAsked[]): Promise<readonly (readonly StoredRow[])[]> {
    if (asked.length === 0) return []
    const { query, values } = rowsQuery(context, asked, once)
    const found = foundIn((await session.value<string>(query, values)) as string, asked)
    return found.map((rows, index) => rows.map((row) => toStoredRow((asked[index] as RowsAsked).selection, row)))
  }

  const rows = (resource: Resource, ids: readonly Id[]): RowsAsked => ({
    selection: selectionOf(resource),
    naming: undefined,
    ids,
  })

  async function topmost(
    session: Session,
    resource: Resource,
    ids: readonly Id[],
  ): Promise<ReadonlyMap<Resource, readonly Id[]>> {
    const tops = new Map<Resource, readonly Id[]>()
    if (ids.length === 0) return tops
    if (resource.ownedBy.length === 0) return tops.set(resource, ids)
    const owners = new Map<Resource, Id[]>()
    const [owned = []] = await read(session, [rows(resource, ids)])
    for (const { record, owner } of owned) {
      if (owner === null) tops.set(resource, [...(tops.get(resource) ?? []), record.id])
      else owners.set(owner.by.target, [...(owners.get(owner.by.target) ?? []), owner.id])
    }
    for (const [target, some] of owners) {
      for (const [top, found] of await topmost(session, target, some)) {
        tops.set(top, [...(tops.get(top) ?? []), ...found])
      }
    }
    return tops
  }

  async function lockRows(
    session: Session,
    resource: Resource,
    ids: readonly Id[],
    waiting: 'waits' | 'skips',
  ): Promise<number> {
    const locked = await session.rows(lockOf(resource, waiting), [idSqlOf(context, resource).encodeList(ids)])
    return locked.length
  }

  async function lockRemoved(session: Session, resource: Resource, ids: readonly Id[]): Promise<void> {
    if (!context.dialect.locksRows) return
    await session.rows(lockRemovedOf(resource), [idSqlOf(context, resource).encodeList(ids)])
  }

  return {
    locksRows: context.dialect.locksRows,
    read,
    rows,
    topmost,
    lockRows,
    lockRemoved,
    naming: (relation, ids) => ({ selection: selectionOf(relation.source), naming: relation, ids }),
  }
}

/** Rules see no more of a value that cannot be shown than clients do. */
function foundIn(json: string, asked: readonly RowsAsked[]): FoundRow[][] {
  const unshown = readUnshown(json)
  if (unshown === undefined) return JSON.parse(json) as FoundRow[][]
  const found = unshown.data as FoundRow[][]
  for (const [index, { selection }] of asked.entries()) {
    for (const [record] of found[index] ?? []) unshown.leaveOut(selection, record)
  }
  return found
}

/** The record, and the ids of its owners in the order of `ownedBy`. */
type FoundRow = readonly [record: RecordData, ...owners: (Id | null)[]]

function toStoredRow({ resource }: Selection, [record, ...owners]: FoundRow): StoredRow {
  const index = owners.findIndex((id) => id !== null)
  const by = resource.ownedBy[index]
  return { record, owner: by === undefined ? null : { by, id: owners[index] as Id } }
}
