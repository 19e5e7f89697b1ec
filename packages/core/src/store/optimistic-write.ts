import { orElse, type PromiseOrValue, promised } from '../connection/promise-or-value.ts'
import { pipeline, type Session } from '../connection/session.ts'
import { inTransaction, transaction } from '../connection/transaction.ts'
import { CHANGED } from '../query/dialect/dialect.ts'
import { ownerValues } from '../query/reads/place-condition.ts'
import { lockOf } from './lock.ts'
import { planWrite } from './plan-write.ts'
import { runAndReadBack } from './run-plan.ts'
import type { Seen, WriteParts, WriteRequest, Written } from './write-request.ts'

/**
 * A short cut, on a session that pipelines: plans from what was read without a lock, and sends all of the write in one message. The
 * database checks under the lock that the record is still the same. This saves a round trip.
 *
 * Returns undefined if it is not the same, or if the request would be refused: that is decided under the lock.
 */
export function writeOptimistically(
  parts: WriteParts,
  session: Session,
  request: WriteRequest,
  seen: Seen,
): PromiseOrValue<Written | undefined> {
  const { context, statements } = parts
  const { at, id } = request
  const { ahead } = statements
  const lock = lockOf(context, statements, at, id)
  const isPossible = session.pipelines && seen.record !== undefined && !context.db.isTransaction
  if (!isPossible || lock === undefined || ahead === undefined) return undefined
  const values = { id, json: seen.record, ...ownerValues(at.owners) }
  const lockAndCheck = () =>
    pipeline(
      session,
      () => session.rows(lock.statement, lock.values),
      () => orElse<unknown>(() => session.rows(ahead.unchanged(at.place), values), rethrowChanged),
    )
  return orElse<Written | undefined>(
    async () => {
      const decision = await planWrite(parts, session, seen, false)
      if ('refusal' in decision) return undefined
      return await inTransaction(session, transaction(context.dialect.begin), async () => {
        const checked = promised(lockAndCheck)
        // It is waited for below, whatever fails first.
        checked.catch(() => {})
        const last = await orElse(
          () => runAndReadBack(parts, session, request, decision.ordered),
          async (error) => {
            await checked
            throw error
          },
        )
        return () => pipeline(session, () => checked, last)
      })
    },
    (error) => {
      if (error instanceof ChangedError) return undefined
      throw error
    },
  )
}

/** The record is not what it was when the write was planned. */
class ChangedError extends Error {
  override readonly name = 'ChangedError'
}

function rethrowChanged(error: unknown): never {
  throw error instanceof Error && error.message.includes(CHANGED) ? new ChangedError(CHANGED, { cause: error }) : error
}
