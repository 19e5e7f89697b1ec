import { type Refusal, tooManyAffected } from '../errors.ts'
import type { GuardedRows } from '../planning/decide/guarded-rows.ts'
import { type Facts, isNothing, type Lookups, lookupsOf, noFacts } from '../planning/decide/lookups.ts'
import { type Changes, rowsIn } from '../planning/diff/changes.ts'
import { type Decided, decide } from '../planning/public/outcome.ts'
import { checkGivenIds } from '../rules/stages/set-values.ts'
import { turnWithin } from '../session/portions.ts'
import { behind, type Command, type Session } from '../session/session.ts'
import { MOST_BOUND } from '../sql/steps/step-shape.ts'
import type { WriteStatements } from '../sql/write-statements.ts'
import type { Attempt } from './attempt.ts'
import { beforeConflict } from './checks/check-planned.ts'
import type { Current } from './current.ts'
import { behindRows, rowsToLock } from './lock-others.ts'
import type { WriteCall, WriteParts } from './write-call.ts'

interface AskedBefore {
  /** The rows that policies are asked about as they are before the write. */
  readonly before: readonly GuardedRows[]
}

/**
 * Looks up what has to be known of other records, and plans. `policiesLater`: policies are asked about the rows behind the lock, and
 * not yet.
 */
export async function planWrite(
  parts: WriteParts,
  session: Session,
  { operation, permit, maxAffected }: WriteCall,
  { writing, asksAgain }: Attempt,
  { diff, results, own, affected }: Current,
  { policiesLater }: { readonly policiesLater: boolean } = POLICIES_NOW,
): Promise<(Decided & AskedBefore) | { readonly refusal: Refusal }> {
  const { context, statements } = parts
  const { rights, dialect } = context
  const turns = () => turnWithin(dialect, rowsIn(diff.changes))
  const turn = turns()
  if (turn !== undefined) await turn
  const all = lookupsOf(diff, rights, own)
  const lookups = policiesLater && all.guarded.length > 0 ? { ...all, guarded: [] } : all
  const othersMayWrite = context.dialect.othersMayWrite && asksAgain
  const regarding = { writing, permit, rights, own, othersMayWrite }
  const rows = await rowsToLock(parts, session, diff.changes, lookups)
  const first = forManyRows(parts, operation, diff.changes)
  if (turn !== undefined) await turns()
  const ask = async () =>
    isNothing(lookups) ? noFacts : await behind(session, first, () => lookUp(statements, session, lookups))
  const facts = await behindRows(parts, session, rows, ask)
  if (turn !== undefined) await turns()
  checkGivenIds(diff.changes, facts)
  const decision = decide(diff, results, facts, lookups, regarding)
  if (!('refusal' in decision)) {
    const isTooMuch = maxAffected !== undefined && affected > maxAffected
    return isTooMuch ? { refusal: tooManyAffected(maxAffected) } : { ...decision, before: all.guarded }
  }
  return { refusal: await beforeConflict(parts, session, diff.changes, decision.refusal) }
}

const POLICIES_NOW = { policiesLater: false }

/** Stands before the statements of a write that carry so many rows or ids. In the caller's own transaction it would not end with the write. */
export function forMany({ context, statements }: WriteParts, rows: number): Command | undefined {
  const { plansWithoutValues: statement } = statements
  if (statement === undefined || rows <= MOST_BOUND || context.db.isTransaction) return undefined
  return { statement, values: [] }
}

/** {@link forMany} for the rows of one record, which may be many. A write of many records has begun so. */
export function forManyRows(
  parts: WriteParts,
  operation: WriteCall['operation'],
  changes: Changes,
): Command | undefined {
  if (parts.statements.plansWithoutValues === undefined || operation === 'bulk') return undefined
  return forMany(parts, rowsIn(changes))
}

/** Asks the database. */
export async function lookUp(statements: WriteStatements, session: Session, lookups: Lookups): Promise<Facts> {
  const { query, values, toFacts } = statements.lookup(lookups)
  return toFacts((await session.value<string>(query, values)) as string)
}
