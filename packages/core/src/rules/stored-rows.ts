import type { Session } from '../connection/session.ts'
import type { Id } from '../model/ids.ts'
import type { Link, Reference, Resource } from '../model/model.ts'
import type { RecordData } from '../plan/record-data.ts'
import type { RecordOwner } from '../plan/record-owner.ts'
import type { QueryContext } from '../query/context.ts'
import { idSqlOf } from '../query/id-sql-of.ts'
import { type Once, onceEach } from '../query/once.ts'
import type { Prepared } from '../query/prepare.ts'
import { lockRowsQuery } from '../query/reads/lock-rows-query.ts'
import { readUnshown } from '../query/reads/read-unshown.ts'
import { type RowsAsked, rowSelection, rowsQuery } from '../query/reads/rows-query.ts'
import type { Selection } from '../query/reads/selection.ts'

/** A row that was read for rules. */
export interface StoredRow {
  readonly record: RecordData
  readonly owner: RecordOwner | null
}

/** Reads and locks rows for rules, which see what no policy hides from them. */
export interface StoredRows {
  /** A list for each of the asked. */
  read(session: Session, asked: readonly RowsAsked[]): Promise<readonly (readonly StoredRow[])[]>
  /** The same, when nobody else can change the rows any more. */
  readLocked(session: Session, asked: readonly RowsAsked[]): Promise<readonly (readonly StoredRow[])[]>
  /** Asks for rows as rules see them: by their ids, or by a relation that names them. */
  rows(resource: Resource, ids: readonly Id[]): RowsAsked
  naming(relation: Reference | Link, ids: readonly Id[]): RowsAsked
  lock(session: Session, resource: Resource, ids: readonly Id[]): Promise<void>
  /** Keeps others from naming the rows, which are going to be removed. */
  lockRemoved(session: Session, resource: Resource, ids: readonly Id[]): Promise<void>
}

export function storedRowsOf(context: QueryContext): StoredRows {
  const once: Once = onceEach()
  const selectionOf = (resource: Resource): Selection => once.of(resource, 'row', () => rowSelection(resource))
  const lockRemovedOf = (resource: Resource): Prepared =>
    once.of(resource, 'lock removed', () => lockRowsQuery(context, resource, 'for update'))
  const lockOf = (resource: Resource): Prepared =>
    once.of(resource, 'lock', () => lockRowsQuery(context, resource, 'for no key update'))

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

  /** Others are kept from a record by a lock of its topmost owner. */
  async function lock(session: Session, resource: Resource, ids: readonly Id[]): Promise<void> {
    if (!context.dialect.locksRows || ids.length === 0) return
    const tops: Id[] = []
    const owners = new Map<Resource, Id[]>()
    const [owned = []] = resource.ownedBy.length === 0 ? [] : await read(session, [rows(resource, ids)])
    for (const { record, owner } of owned) {
      if (owner === null) tops.push(record.id)
      else owners.set(owner.by.target, [...(owners.get(owner.by.target) ?? []), owner.id])
    }
    for (const [target, some] of owners) await lock(session, target, some)
    const locked = resource.ownedBy.length === 0 ? ids : tops
    if (locked.length > 0) await session.rows(lockOf(resource), [idSqlOf(context, resource).encodeList(locked)])
  }

  async function readLocked(session: Session, asked: readonly RowsAsked[]): ReturnType<StoredRows['read']> {
    const found = await read(session, asked)
    if (!context.dialect.locksRows || found.every((rows) => rows.length === 0)) return found
    for (const [index, { selection }] of asked.entries()) {
      const ids = (found[index] ?? []).map(({ record }) => record.id)
      await lock(session, selection.resource, ids)
    }
    return await read(session, asked)
  }

  async function lockRemoved(session: Session, resource: Resource, ids: readonly Id[]): Promise<void> {
    if (!context.dialect.locksRows) return
    await session.rows(lockRemovedOf(resource), [idSqlOf(context, resource).encodeList(ids)])
  }

  return {
    read,
    readLocked,
    rows,
    lockRemoved,
    naming: (relation, ids) => ({ selection: selectionOf(relation.source), naming: relation, ids }),
    lock,
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
