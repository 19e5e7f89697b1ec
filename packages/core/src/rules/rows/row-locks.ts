import type { Id } from '../../model/ids/id-kind.ts'
import { type Model, type Resource, resourceOf } from '../../model/model.ts'
import { mayBeMoved } from '../../model/resource-tree.ts'
import { pipelineAll, type Session } from '../../session/session.ts'
import type { RowLock } from '../../sql/dialect/dialect.ts'
import type { RowsAsked } from '../../sql/reads/rows-query.ts'
import type { RuleStatements } from '../../sql/statements.ts'
import { readStored, rowsById, type StoredRow } from './stored-rows.ts'

/** Ids of records, by their resource. */
export type IdsByResource = ReadonlyMap<Resource, Iterable<Id>>

/**
 * The records that a write locks for its rules, besides the one that its request names (PostgreSQL). Two writers may
 * come to the same records from different ends. So no writer waits for a lock while it holds another one, unless it
 * takes all of them in one order.
 *
 * - An attempt that needs further locks takes those that are free. If one is not, it begins again.
 * - An attempt that begins again first takes all locks that were needed so far: by table, then by id.
 */
export interface RowLocks {
  /** Whether locks are known that an attempt has to take before it reads. */
  readonly areKnown: boolean
  /** Whether the attempt lacks a lock, so that it has to begin again. */
  readonly isLacking: boolean
  /** Takes all locks that are known, and that of the request's own record. */
  lockFirst(session: Session, own: IdsByResource): Promise<void>
  /** Locks the topmost owners of records, as writes do. Fails with a {@link LockLackingError} if one is not free. */
  lock(session: Session, records: IdsByResource): Promise<void>
  /** Reads rows after locking them, so that no other writer changes them. */
  readLocked(session: Session, asked: readonly RowsAsked[]): ReturnType<typeof readStored>
  /** A rule may have caught the error that says that a lock is lacking: fails with it again. */
  check(): void
}

/** While the write waited for locks, another writer has moved a record below another topmost owner. */
export class OwnersMovedError extends Error {
  override readonly name = 'OwnersMovedError'
  constructor() {
    super('another writer has moved a record to another owner, so the write begins again')
  }
}

/** Another writer has a lock that is needed. */
class LockLackingError extends Error {
  override readonly name = 'LockLackingError'
  constructor() {
    super('another writer has locked a record, so the write begins again and locks that record first')
  }
}

interface Locking {
  readonly model: Model
  readonly statements: RuleStatements
}

/** After so many attempts a lock is waited for, whatever the order: PostgreSQL ends writers that wait for each other in
 * a circle. */
const ATTEMPTS = 8

/** As each write locks the topmost owner. */
const OF_WRITES: RowLock = 'for no key update'

/** `mayBeginAgain`: in an application's own transaction there is one attempt, which waits for each lock. */
export function rowLocks({ model, statements }: Locking, mayBeginAgain: boolean): RowLocks {
  const known = new Map<Resource, Set<Id>>()
  /** Those that the attempt has taken, or found missing, before it read anything. */
  let first = new Map<Resource, ReadonlySet<Id>>()
  let attempts = 0
  let isLacking = false

  async function addKnown(session: Session, records: IdsByResource): Promise<void> {
    for (const [resource, ids] of records) {
      // A rule may pass a foreign key, which may be null.
      const present = [...ids].filter((id) => (id ?? null) !== null)
      for (const [top, tops] of await topmost(statements, session, resourceOf(model, resource.key), present)) {
        const all = known.get(top) ?? new Set<Id>()
        for (const id of tops) all.add(id)
        known.set(top, all)
      }
    }
  }

  /** The rows are gone, or one of them is locked by another writer. */
  async function isOneTaken(
    session: Session,
    resource: Resource,
    ids: readonly Id[],
    locked: number,
  ): Promise<boolean> {
    if (locked === ids.length) return false
    const [there = []] = await readStored(statements, session, [rowsById(resource, ids)])
    return there.length > locked
  }

  async function lock(session: Session, records: IdsByResource): Promise<void> {
    if (statements.lockRows === undefined) return
    const waits = !mayBeginAgain || attempts > ATTEMPTS
    await addKnown(session, records)
    for (const [resource, ids] of inOrder(known)) {
      const further = [...ids].filter((id) => first.get(resource)?.has(id) !== true)
      if (further.length === 0) continue
      const locked = await lockRows(statements, session, resource, further, OF_WRITES, waits ? 'waits' : 'skips')
      if (!waits && (await isOneTaken(session, resource, further, locked))) {
        isLacking = true
        throw new LockLackingError()
      }
    }
    await checkTopmost(statements, session, resourcesOf(model, records), known)
  }

  return {
    get areKnown() {
      return known.size > 0
    },
    get isLacking() {
      return isLacking
    },
    async lockFirst(session, own) {
      attempts++
      isLacking = false
      await addKnown(session, own)
      const all = inOrder(known)
      await pipelineAll(
        session,
        all.map(
          ([resource, ids]) =>
            () =>
              lockRows(statements, session, resource, [...ids], OF_WRITES, 'waits'),
        ),
      )
      first = new Map(all.map(([resource, ids]) => [resource, new Set(ids)]))
      await checkTopmost(statements, session, own, first)
    },
    lock,
    async readLocked(session, asked) {
      const found = await readStored(statements, session, asked)
      if (statements.lockRows === undefined || found.every((rows) => rows.length === 0)) return found
      const records = new Map<Resource, Id[]>()
      for (const [index, { selection }] of asked.entries()) {
        const ids = (found[index] as readonly StoredRow[]).map(({ record }) => record.id)
        records.set(selection.resource, [...(records.get(selection.resource) ?? []), ...ids])
      }
      await lock(session, records)
      return await readStored(statements, session, asked)
    },
    check() {
      if (isLacking) throw new LockLackingError()
    },
  }
}

/** Rules have the resources of their own model. */
function resourcesOf(model: Model, records: IdsByResource): IdsByResource {
  return new Map([...records].map(([{ key }, ids]) => [resourceOf(model, key), ids]))
}

/** Fails with an {@link OwnersMovedError} unless the topmost owners of the records are among the locked ones. */
async function checkTopmost(
  statements: RuleStatements,
  session: Session,
  records: IdsByResource,
  locked: ReadonlyMap<Resource, ReadonlySet<Id>>,
): Promise<void> {
  for (const [resource, ids] of records) {
    if (!mayBeMoved(resource)) continue
    const present = [...ids].filter((id) => (id ?? null) !== null)
    for (const [top, found] of await topmost(statements, session, resource, present)) {
      if (found.some((id) => locked.get(top)?.has(id) !== true)) throw new OwnersMovedError()
    }
  }
}

/** The topmost owners of records: writes below them lock them first. */
async function topmost(
  statements: RuleStatements,
  session: Session,
  resource: Resource,
  ids: readonly Id[],
): Promise<ReadonlyMap<Resource, readonly Id[]>> {
  const tops = new Map<Resource, Id[]>()
  if (ids.length === 0) return tops
  if (resource.ownedBy.length === 0) return tops.set(resource, [...ids])
  const owners = new Map<Resource, Id[]>()
  const [owned = []] = await readStored(statements, session, [rowsById(resource, ids)])
  for (const { record, owner } of owned) {
    if (owner === null) add(tops, resource, record.id)
    else add(owners, owner.by.target, owner.id)
  }
  for (const [target, some] of owners) {
    for (const [top, found] of await topmost(statements, session, target, some))
      for (const id of found) add(tops, top, id)
  }
  return tops
}

function add(ids: Map<Resource, Id[]>, resource: Resource, id: Id): void {
  const known = ids.get(resource)
  if (known === undefined) ids.set(resource, [id])
  else known.push(id)
}

/** Locks the topmost owners of records: by table, then by id. Fails with an {@link OwnersMovedError} if others have
 * moved one of them meanwhile. */
export async function lockTopmost(statements: RuleStatements, session: Session, records: IdsByResource): Promise<void> {
  const tops = new Map<Resource, Set<Id>>()
  for (const [resource, ids] of records) {
    for (const [top, found] of await topmost(statements, session, resource, [...ids])) {
      const known = tops.get(top) ?? new Set<Id>()
      for (const id of found) known.add(id)
      tops.set(top, known)
    }
  }
  const locks = inOrder(tops).map(
    ([resource, ids]) =>
      () =>
        lockRows(statements, session, resource, [...ids], OF_WRITES, 'waits'),
  )
  await pipelineAll(session, locks)
  await checkTopmost(statements, session, records, tops)
}

/** Locks rows in the order of their ids. Resolves to how many it has locked. */
export async function lockRows(
  statements: RuleStatements,
  session: Session,
  resource: Resource,
  ids: readonly Id[],
  lock: RowLock,
  waiting: 'waits' | 'skips',
): Promise<number> {
  const locking = statements.lockRows?.(resource, ids, lock, waiting)
  return locking === undefined ? ids.length : (await session.rows(locking.query, locking.values)).length
}

/** By table: whichever end of a link a request came by. Each statement takes its rows by their ids. */
function inOrder(known: ReadonlyMap<Resource, ReadonlySet<Id>>): readonly (readonly [Resource, ReadonlySet<Id>])[] {
  return [...known].sort(([one], [other]) => (one.table < other.table ? -1 : 1))
}
