import { CrudError, notAllowed } from '../../errors.ts'
import type { GuardedRows } from '../../planning/decide/guarded-rows.ts'
import { type NewIds, NO_NEW_IDS } from '../../planning/order/new-ids.ts'
import { pipeline, type Session } from '../../session/session.ts'
import { ALLOWED, NOT_ALLOWED, RIGHT_LOST } from '../../sql/checks/allowed-query.ts'
import type { WriteParts } from '../write-call.ts'

/** Others have taken a right away that the write was allowed by: it has to begin anew, and then is refused as it should. */
export class RightLostError extends Error {
  override readonly name = 'RightLostError'
}

/**
 * Fails with `CRUD_ERR_FORBIDDEN` unless the policies allow what is done to all of the rows, as they are in the tables; with a
 * {@link RightLostError} if they did before.
 */
export async function checkAllowed(
  { statements }: WriteParts,
  session: Session,
  guarded: readonly GuardedRows[],
  newIds: NewIds = NO_NEW_IDS,
): Promise<void> {
  const allowed = guarded.length === 0 ? undefined : statements.allowed(guarded, newIds)
  if (allowed === undefined) return
  let answer: unknown
  try {
    answer = await session.value(allowed.query, allowed.values)
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    if (message.includes(RIGHT_LOST)) throw new RightLostError(RIGHT_LOST, { cause: error })
    throw message.includes(NOT_ALLOWED) ? new CrudError(notAllowed()) : error
  }
  if (statements.pipelined === undefined && answer !== ALLOWED) throw new CrudError(notAllowed())
}

/** Reads behind this check, in the same message if the session pipelines. */
export function readIfAllowed<Result>(
  parts: WriteParts,
  session: Session,
  guarded: readonly GuardedRows[],
  newIds: NewIds,
  read: () => Promise<Result>,
): Promise<Result> {
  if (guarded.length === 0) return read()
  const checkAndRead = pipeline(session, () => checkAllowed(parts, session, guarded, newIds), read)
  return checkAndRead.then(([, result]) => result)
}
