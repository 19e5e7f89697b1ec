import { inTurn } from '../connection/connections.ts'
import type { PromiseOrValue } from '../connection/promise-or-value.ts'
import type { Address } from '../model/address.ts'
import type { QueryContext } from '../query/context.ts'
import type { Prepared, Runner } from '../query/prepare.ts'
import type { Statements } from '../query/statements.ts'

/** What keeps other writers away from a record. */
export interface Lock {
  readonly statement: Prepared
  readonly values: { readonly id: number }
}

/** Of the topmost owner, or of the record itself; undefined for a record that is new, and where a database locks all. */
export function lockOf(
  { dialect }: QueryContext,
  statements: Statements,
  { place, owners }: Address,
  id: number | undefined,
): Lock | undefined {
  const topId = dialect.locksRows ? (owners[0] ?? id) : undefined
  if (topId === undefined) return undefined
  return { statement: statements.lock(place.path[0]?.source ?? place.resource), values: { id: topId } }
}

/** What begins a transaction. Where each statement is waited for, the one that locks goes with it. */
export function beginningWith(on: Runner, { dialect }: QueryContext, lock: Lock | undefined): string {
  return lock === undefined || on.isBatched
    ? dialect.begin
    : `${dialect.begin}; ${lock.statement.withIntegers(lock.values)}`
}

/** Else that is a statement of its own, which can be kept: the work comes behind it. */
export function behindLock<Result>(
  on: Runner,
  lock: Lock | undefined,
  work: () => PromiseOrValue<Result>,
): PromiseOrValue<Result> {
  return lock === undefined || !on.isBatched ? work() : inTurn(on, () => lock.statement.run(on, lock.values), work)
}
