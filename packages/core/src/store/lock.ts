import { pipeline, type Session } from '../connection/session.ts'
import { type Boundaries, transaction } from '../connection/transaction.ts'
import type { Address } from '../model/address.ts'
import type { Id } from '../model/ids.ts'
import type { QueryContext } from '../query/context.ts'
import type { Prepared } from '../query/prepare.ts'
import type { Statements } from '../query/statements.ts'

/** Keeps other writers away from a record. */
export interface Lock {
  readonly statement: Prepared
  readonly values: { readonly id: Id }
}

/** Of the topmost owner, or of the record itself; undefined for a new record, and where the database has one writer at a time. */
export function lockOf(
  { dialect }: QueryContext,
  statements: Statements,
  { place, owners }: Address,
  id: Id | undefined,
): Lock | undefined {
  const topId = dialect.locksRows ? (owners[0] ?? id) : undefined
  if (topId === undefined) return undefined
  return { statement: statements.lock(place.path[0]?.source ?? place.resource), values: { id: topId } }
}

/** A transaction that takes the lock. Where each statement is waited for, the one that locks goes with the one that begins. */
export function transactionWith(session: Session, { dialect }: QueryContext, lock: Lock | undefined): Boundaries {
  if (lock === undefined || session.pipelines) return transaction(dialect.begin)
  return transaction(`${dialect.begin}; ${lock.statement.withIntegers(lock.values)}`)
}

/** Elsewhere the lock is a statement of its own, which can be kept. The work comes behind it. */
export async function behindLock<Result>(
  session: Session,
  lock: Lock | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (lock === undefined || !session.pipelines) return await work()
  const [, result] = await pipeline(session, () => session.rows(lock.statement, lock.values), work)
  return result
}
