import type { Address } from '../model/address.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Resource } from '../model/model.ts'
import { behind, pipeline, type Session } from '../session/session.ts'
import type { QueryContext } from '../sql/context.ts'
import type { Prepared } from '../sql/text/prepare.ts'
import type { WriteStatements } from '../sql/write-statements.ts'

/** Keeps other writers away from a record. */
export interface Lock {
  readonly statement: Prepared
  /** The same, but it gives no row if another writer has the lock. */
  readonly ifFree: Prepared
  /** Whose record is locked. */
  readonly resource: Resource
  readonly values: { readonly id: Id }
}

/**
 * The lock of the topmost owner, or of the record itself if it has no owner. Undefined for a new record without an owner, and where
 * no row has to be locked.
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
 * Reads behind the lock. If another writer has it, the read does not wait. Unless its result `isEnough`, it is done again behind the lock.
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
