import { pipeline, type Session } from '../../connection/session.ts'
import { type Boundaries, transaction } from '../../connection/transaction.ts'
import type { Address } from '../../model/address.ts'
import type { Id } from '../../model/ids.ts'
import type { Resource } from '../../model/model.ts'
import type { QueryContext } from '../../query/context.ts'
import type { Statements } from '../../query/statements.ts'
import { idSqlOf } from '../../query/text/id-sql-of.ts'
import type { Prepared } from '../../query/text/prepare.ts'

/** Keeps other writers away from a record. */
export interface Lock {
  readonly statement: Prepared
  /** The same, but it does not wait for another writer: it gives no row then, or fails. */
  statementThat(waiting: 'skips' | 'fails'): Prepared
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
  return {
    statement: statements.lock(resource, 'waits'),
    statementThat: (waiting) => statements.lock(resource, waiting),
    resource,
    values: { id: topId },
  }
}

/** Whether the command that locks goes with the one that begins. Settings come between the two, as they decide who may lock. */
export function locksAsItBegins({ takesSeveralCommands, settings }: Session): boolean {
  return takesSeveralCommands && settings === undefined
}

/** Where {@link locksAsItBegins}, the text that begins the transaction also takes the lock, or fails if it `mustBeFree` and is not. */
export function transactionWith(
  session: Session,
  context: QueryContext,
  lock: Lock | undefined,
  { mustBeFree }: { readonly mustBeFree: boolean } = { mustBeFree: false },
): Boundaries {
  const { begin } = context.dialect
  if (lock === undefined || !locksAsItBegins(session)) return transaction(begin)
  const id = idSqlOf(context, lock.resource).literal(lock.values.id)
  const statement = mustBeFree ? lock.statementThat('fails') : lock.statement
  return transaction(`${begin}; ${statement.withConstants({ id })}`)
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

/**
 * Reads behind the lock. If another writer has it, the read does not wait. Unless what it gives `isEnough`, it is done again behind the
 * lock.
 */
export async function readBehindLock<Result>(
  session: Session,
  lock: Lock | undefined,
  read: (before?: Result) => Promise<Result>,
  isEnough: (read: Result) => boolean,
): Promise<Result> {
  if (lock === undefined || locksAsItBegins(session)) return await read()
  const lockIfFree = () => session.rows(lock.statementThat('skips'), lock.values)
  const [locked, result] = await pipeline(session, lockIfFree, () => read())
  if (locked.length > 0 || isEnough(result)) return result
  return await behindLock(session, lock, () => read(result))
}
