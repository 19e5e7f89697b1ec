import { pipeline, type Session } from '../connection/session.ts'
import { CrudError, notAllowed } from '../errors.ts'
import type { GuardedRows } from '../plan/decide/guarded-rows.ts'
import { ALLOWED, NOT_ALLOWED } from '../query/reads/allowed-query.ts'
import { type NewIds, NO_NEW_IDS } from '../query/steps/new-ids.ts'
import type { WriteParts } from './write-request.ts'

/** Fails with `CRUD_ERR_FORBIDDEN` unless the policies allow what is done to all of the rows, as they are in the tables. */
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
    throw error instanceof Error && error.message.includes(NOT_ALLOWED) ? new CrudError(notAllowed()) : error
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
