import { idAlone } from '../../asking/select/selections.ts'
import { CrudError, errorKinds, notAllowed, type Refusal } from '../../errors.ts'
import type { Address } from '../../model/collection-path.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { GuardedRows } from '../../planning/decide/guarded-rows.ts'
import { plannedRows } from '../../planning/decide/guarded-rows.ts'
import type { Changes } from '../../planning/diff/changes.ts'
import { type NewIds, NO_NEW_IDS } from '../../planning/order/new-ids.ts'
import { isUnknownColumn } from '../../session/database-errors.ts'
import { pipeline, type Session } from '../../session/session.ts'
import { ALLOWED } from '../../sql/checks/allowed-query.ts'
import { NOT_ALLOWED, RIGHT_LOST, raisedBy } from '../../sql/dialect/dialect.ts'
import type { ReadStatements } from '../../sql/read-statements.ts'
import { recordToClientJson } from '../reads/client-json.ts'
import { readRecord } from '../reads/read-record.ts'
import type { Precondition, RecordBefore, WriteParts } from '../write-call.ts'

/** Others have taken a right away that the write was allowed by: it has to begin anew, and then is refused as it
 * should. */
export class RightLostError extends Error {
  override readonly name = 'RightLostError'
}

/**
 * Fails with `CRUD_ERR_FORBIDDEN` unless the policies allow what is done to all of the rows, as they are in the tables;
 * with a {@link RightLostError} if they did before.
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
    const raised = raisedBy(error)
    if (raised === RIGHT_LOST) throw new RightLostError(RIGHT_LOST, { cause: error })
    throw raised === NOT_ALLOWED ? new CrudError(notAllowed()) : error
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

/**
 * Why a write is refused: a conflict says what others have stored, so it is not for a caller who may not store the rows
 * anyway. Then the policy's no comes first.
 */
export async function beforeConflict(
  { context, statements }: WriteParts,
  session: Session,
  changes: Changes,
  refusal: Refusal,
): Promise<Refusal> {
  if (context.rights === undefined || errorKinds[refusal.code].status !== CONFLICT) return refusal
  for (const row of plannedRows(changes, context.rights)) {
    const { query, values } = statements.planned(row)
    try {
      if ((await session.value(query, values)) !== ALLOWED) return notAllowed()
    } catch (error) {
      // The table has columns that the model does not know, or that the database fills. What they will hold is not
      // known before the row is stored.
      if (isUnknownColumn(error)) return refusal
      throw error
    }
  }
  return refusal
}

const CONFLICT = 409

/** Fails with what the precondition says of the record, if it does not hold. */
export function checkPrecondition(precondition: Precondition, before: RecordBefore): void {
  const refusal = precondition(before)
  if (refusal !== undefined) throw new CrudError(refusal)
}

/** What the caller finds at an address; without an id, nothing. `reads`: not the whole record where the database cannot
 * build it. */
export async function recordBefore(
  session: Session,
  statements: ReadStatements,
  at: Address,
  id: Id | undefined,
  reads: 'whole' | 'state',
): Promise<RecordBefore> {
  if (id === undefined) return NONE
  try {
    const selection = reads === 'whole' ? undefined : idAlone(at.path.resource)
    const record = await readRecord(session, statements, at, id, { selection })
    return { exists: true, json: reads === 'whole' ? recordToClientJson(statements, at, record, undefined) : undefined }
  } catch (error) {
    if (error instanceof CrudError && error.code === 'CRUD_ERR_NOT_FOUND') return NONE
    throw error
  }
}

const NONE: RecordBefore = { exists: false, json: undefined }

/** Whether rules run for what writes do at an address: for any write, or for one that only sets fields of a record
 * (`ofPatches`). */
export function mayRunRules(
  { rules }: Pick<WriteParts, 'rules'>,
  { path }: Address,
  writes: 'ofWrites' | 'ofPatches' = 'ofWrites',
): boolean {
  return rules?.scope[writes].has(path.resource.key) ?? false
}
