import { pipeline, type Session } from '../connection/session.ts'
import { type Boundaries, transaction } from '../connection/transaction.ts'
import type { Address } from '../model/address.ts'
import type { Id } from '../model/ids.ts'
import type { Resource } from '../model/model.ts'
import type { QueryContext } from '../query/context.ts'
import { idSqlOf } from '../query/id-sql-of.ts'
import type { Prepared } from '../query/prepare.ts'
import type { Statements } from '../query/statements.ts'

/** Keeps other writers away from a record. */
export interface Lock {
  readonly statement: Prepared
  /** Whose record is locked. */
  readonly resource: Resource
  readonly values: { readonly id: Id }
}

/**
 * The lock of the topmost owner, or of the record itself if it has no owner. Undefined for a new record without an owner, and where
 * the database has one writer at a time.
 */
export function lockOf(
  { dialect }: QueryContext,
  statements: Statements,
  { path, owners }: Address,
  id: Id | undefined,
): Lock | undefined {
  const topId = dialect.locksRows ? (owners[0] ?? id) : undefined
  if (topId === undefined) return undefined
  const resource = path.relations[0]?.source ?? path.resource
  return { statement: statements.lock(resource), resource, values: { id: topId } }
}

/** Whether the command that locks goes with the one that begins. Settings come between the two, as they decide who may lock. */
function locksAsItBegins({ takesSeveralCommands, settings }: Session): boolean {
  return takesSeveralCommands && settings === undefined
}

/** Where {@link locksAsItBegins}, the text that begins the transaction also takes the lock. */
export function transactionWith(session: Session, context: QueryContext, lock: Lock | undefined): Boundaries {
  const { begin } = context.dialect
  if (lock === undefined || !locksAsItBegins(session)) return transaction(begin)
  const id = idSqlOf(context, lock.resource).literal(lock.values.id)
  return transaction(`${begin}; ${lock.statement.withConstants({ id })}`)
}

/**
 * Does work behind the lock. Unless {@link transactionWith} has taken it, the lock is a statement of its own, in the same message as the
 * work if the session pipelines.
 */
export function behindLock<Result>(
  session: Session,
  lock: Lock | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (lock === undefined || locksAsItBegins(session)) return work()
  const lockAndWork = pipeline(session, () => session.rows(lock.statement, lock.values), work)
  return lockAndWork.then(([, result]) => result)
}
