import type { Address } from '../model/collection-path.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Link, Reference, Resource } from '../model/model.ts'
import { isHeldByDatabase } from '../model/resource-tree.ts'
import type { Lookups } from '../planning/decide/lookups.ts'
import { type Changes, givenId } from '../planning/diff/changes.ts'
import { lockRows } from '../rules/rows/row-locks.ts'
import { behind, pipeline, pipelineAll, type Session } from '../session/session.ts'
import type { QueryContext } from '../sql/context.ts'
import type { Prepared } from '../sql/text/prepare.ts'
import type { WriteStatements } from '../sql/write-statements.ts'
import type { WriteParts } from './write-call.ts'

/** Keeps other writers away from a record. */
interface Lock {
  readonly statement: Prepared
  /** The same, but it gives no row if another writer has the lock. */
  readonly ifFree: Prepared
  /** Whose record is locked. */
  readonly resource: Resource
  readonly values: { readonly id: Id }
}

/**
 * The lock of the topmost owner, or of the record itself if it has no owner. Undefined for a new record without an
 * owner, and where no row has to be locked.
 */
export function lockOf(
  { dialect }: QueryContext,
  statements: WriteStatements,
  { path, owners }: Address,
  id: Id | undefined,
): Lock | undefined {
  const topId = dialect.rowLocks === undefined ? undefined : (owners[0] ?? id)
  if (topId === undefined) return undefined
  const resource = path.relations[0]?.source ?? path.resource
  return {
    statement: statements.lock(resource, 'waits'),
    ifFree: statements.lock(resource, 'skips'),
    resource,
    values: { id: topId },
  }
}

/**
 * Reads behind the lock. If another writer has it, the read does not wait. Unless its result `isEnough`, it is done
 * again behind the lock.
 */
export async function readBehindLock<Result>(
  session: Session,
  lock: Lock,
  read: (before?: Result) => Promise<Result>,
  isEnough: (read: Result) => boolean,
): Promise<Result> {
  const lockIfFree = () => session.rows(lock.ifFree, lock.values)
  const [locked, result] = await pipeline(session, lockIfFree, () => read())
  if (locked.length > 0 || isEnough(result)) return result
  return await behind(session, lock, () => read(result))
}

/** Records that a write has to lock before it asks about them. */
interface RowsToLock {
  /** It removes them: nobody may name them any more. */
  readonly removed: Ids
  /** It names them: nobody may remove them. */
  readonly named: Ids
}

type Ids = ReadonlyMap<Resource, ReadonlySet<Id>>

/**
 * The records about which a foreign key tells the write nothing:
 *
 * - what it removes, and another record may need over ON DELETE CASCADE: the database would remove that one as well
 * - what it removes or names by a relation without a foreign key, or with one to a resource with `softDelete`: its rows
 * stay
 *
 * Any other foreign key fails if others have added or removed a record since the write has asked.
 */
export async function rowsToLock(
  { learnCascades, hasUnconstrained }: WriteParts,
  session: Session,
  changes: Changes,
  { needing }: Pick<Lookups, 'needing'>,
): Promise<RowsToLock> {
  if (learnCascades === undefined || (needing.size === 0 && !hasUnconstrained)) return NOTHING
  const removed: MutableIds = new Map()
  const cascading = needing.size === 0 ? undefined : await learnCascades(session)
  for (const [relation, { targets }] of needing) {
    if (cascading?.has(relation)) for (const id of targets) add(removed, relation.target, id)
  }
  if (!hasUnconstrained) return removed.size === 0 ? NOTHING : { removed, named: NONE }
  addRemoved(removed, changes)
  const named = namedBy(changes)
  return removed.size + named.size === 0 ? NOTHING : { removed, named }
}

const NONE: Ids = new Map()

const NOTHING: RowsToLock = { removed: NONE, named: NONE }

export function isNothingToLock({ removed, named }: RowsToLock): boolean {
  return removed.size + named.size === 0
}

type MutableIds = Map<Resource, Set<Id>>

function add(ids: MutableIds, resource: Resource, id: Id): void {
  const known = ids.get(resource)
  if (known === undefined) ids.set(resource, new Set([id]))
  else known.add(id)
}

function addRemoved(all: MutableIds, changes: Changes): void {
  for (const { resource, pointers } of changes.removed) {
    const relations = [...resource.referencedBy, ...resource.linkedBy]
    if (relations.every(isHeldByDatabase)) continue
    for (const id of pointers.keys()) add(all, resource, id)
  }
}

function namedBy({ inserts, updates, linked }: Changes): MutableIds {
  const named: MutableIds = new Map()
  for (const { resource, values } of [...inserts, ...updates]) {
    for (const reference of resource.references) {
      const id = needsLock(reference) ? givenId(values, reference) : undefined
      if (id !== undefined && id !== null) add(named, reference.target, id)
    }
  }
  for (const { link, to } of linked) if (needsLock(link)) add(named, link.target, to)
  return named
}

/** What is only read may be a view, and has no rows to lock. */
function needsLock(relation: Reference | Link): boolean {
  return relation.target.isWritable && !isHeldByDatabase(relation)
}

/** Asks behind locks on the records, in one message where the session pipelines. */
export async function behindRows<Result>(
  { statements }: WriteParts,
  session: Session,
  { removed, named }: RowsToLock,
  work: () => Promise<Result>,
): Promise<Result> {
  const locks = [
    ...[...removed].map((rows) => [...rows, 'for update'] as const),
    ...[...named].map((rows) => [...rows, 'for key share'] as const),
  ]
  if (locks.length === 0) return await work()
  const takeLocks = locks
    .sort(([one], [other]) => (one.table < other.table ? -1 : 1))
    .map(
      ([resource, ids, lock]) =>
        () =>
          lockRows(statements, session, resource, [...ids], lock, 'waits'),
    )
  const [, result] = await pipeline(session, () => pipelineAll(session, takeLocks), work)
  return result
}
