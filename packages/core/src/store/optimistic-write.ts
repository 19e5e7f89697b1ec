import { pipeline, type Session } from '../connection/session.ts'
import { inTransaction, transaction } from '../connection/transaction.ts'
import { CHANGED } from '../query/dialect/dialect.ts'
import { lockOf } from './lock.ts'
import { planWrite } from './plan-write.ts'
import { recordValues } from './read.ts'
import { runAndReadBack } from './run-plan.ts'
import type { Seen, WriteParts, WriteRequest, Written } from './write-request.ts'

/**
 * A short cut, on a session that pipelines: plans from what was read without a lock, and sends all of the write in one message. The
 * database checks under the lock that the record is still the same. This saves a round trip.
 *
 * Returns undefined if it is not the same, or if the request would be refused: that is decided under the lock.
 */
export async function writeOptimistically(
  parts: WriteParts,
  session: Session,
  request: WriteRequest,
  seen: Seen,
): Promise<Written | undefined> {
  const { context, statements } = parts
  const { at, id } = request
  const { pipelined } = statements
  const lock = lockOf(context, statements, at, id)
  if (id === undefined || lock === undefined || pipelined === undefined || seen.record === undefined) return undefined
  const unchanged = pipelined.unchanged(at.path)
  const values = { ...recordValues(at, id), json: seen.record }
  const lockAndCheck = () =>
    pipeline(
      session,
      () => session.rows(lock.statement, lock.values),
      () => session.rows(unchanged, values).catch(rethrowChanged),
    )
  const decision = await planWrite(parts, session, seen, false, request.permit)
  if ('refusal' in decision) return undefined
  try {
    return await inTransaction(session, transaction(context.dialect.begin), async () => {
      const checked = lockAndCheck()
      // It is waited for below, whatever fails first.
      checked.catch(() => {})
      try {
        const sendLast = await runAndReadBack(parts, session, request, decision.ordered)
        return async () => {
          const [, written] = await pipeline(session, () => checked, sendLast)
          return written
        }
      } catch (error) {
        await checked
        throw error
      }
    })
  } catch (error) {
    if (error instanceof ChangedError) return undefined
    throw error
  }
}

/** The record is not what it was when the write was planned. */
class ChangedError extends Error {
  override readonly name = 'ChangedError'
}

function rethrowChanged(error: unknown): never {
  throw error instanceof Error && error.message.includes(CHANGED) ? new ChangedError(CHANGED, { cause: error }) : error
}
