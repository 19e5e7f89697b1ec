import type { RowAction } from '../asking/policies/rights.ts'
import type { Selection } from '../asking/select/selection.ts'
import { idsOf, wholeRecordAt } from '../asking/select/selections.ts'
import { CrudError } from '../errors.ts'
import { needingOf } from '../planning/decide/lookups.ts'
import { pipeline, pipelineAll, type Session } from '../session/session.ts'
import { transaction, withTransaction } from '../session/transaction.ts'
import { CHANGED } from '../sql/dialect/dialect.ts'
import type { Attempt } from './attempt.ts'
import { checkAllowed, RightLostError } from './checks/check-allowed.ts'
import type { Current } from './current.ts'
import { lockOf } from './lock.ts'
import { isNothingToLock, rowsToLock } from './lock-others.ts'
import { planWrite } from './plan-write.ts'
import { recordValues } from './reads/read-record.ts'
import { runPlan } from './run-plan.ts'
import type { UpdateCall, WriteParts, Written } from './write-call.ts'

/**
 * A short cut, on a session that pipelines: plans from what was read without a lock, and sends all of the write in one message. The
 * database checks under the lock that the record is still the same. This saves a round trip.
 *
 * Returns undefined if it is not the same, or if the request would be refused: that is decided under the lock.
 */
export async function writeOptimistically(
  parts: WriteParts,
  session: Session,
  call: UpdateCall,
  attempt: Attempt,
  current: Current,
): Promise<Written | undefined> {
  const { context, statements } = parts
  const { at, id } = call
  const { basis, record, unreadIds } = current
  const { pipelined } = statements
  const lock = lockOf(context, statements, at, id)
  if (pipelined === undefined) return undefined
  if (attempt.readsBefore === 'state' || basis === undefined) return undefined
  const { changes } = current.diff
  if (!isNothingToLock(await rowsToLock(parts, session, changes, { needing: needingOf(changes) }))) return undefined
  const decision = await planWrite(parts, session, call, attempt, current, { policiesLater: true })
  if ('refusal' in decision) return undefined
  const { resource } = at.path
  const isSame = (selection: Selection, json: string, action?: RowAction) => {
    const unchanged = pipelined.unchanged(at.path, selection, action)
    return session.rows(unchanged, { ...recordValues(at, id), json }).catch(rethrowChanged)
  }
  const checks: (() => Promise<unknown>)[] = [
    ...(lock === undefined ? [] : [() => session.rows(lock.statement, lock.values)]),
    () => isSame(basis.selection, basis.json, 'EditBefore'),
  ]
  // The precondition was about the whole record: the plan may have been made from another part of it.
  if (call.precondition !== undefined && record !== undefined && record !== basis.json) {
    checks.push(() => isSame(wholeRecordAt(call.at.path, context.fieldRights), record))
  }
  if (unreadIds !== undefined) checks.push(() => isSame(idsOf(resource), unreadIds))
  checks.push(() => checkAllowed(parts, session, decision.before).catch(rethrowRefused))
  try {
    return await withTransaction(session, transaction(context.dialect.begin), async (tx) => {
      // Where both fail, the checks say why.
      const [, written] = await pipeline(
        session,
        () => pipelineAll(session, checks),
        () => runPlan(parts, tx, call, attempt, decision, current, undefined),
      )
      return written
    })
  } catch (error) {
    if (error instanceof OpenError || error instanceof RightLostError) return undefined
    throw error
  }
}

/** The record is not what it was when the write was planned, or the write is refused. */
class OpenError extends Error {
  override readonly name = 'OpenError'
}

function rethrowChanged(error: unknown): never {
  throw error instanceof Error && error.message.includes(CHANGED) ? new OpenError(CHANGED, { cause: error }) : error
}

/** Under the lock, the refusal has its pointers. */
function rethrowRefused(error: unknown): never {
  throw error instanceof CrudError ? new OpenError(error.message, { cause: error }) : error
}
