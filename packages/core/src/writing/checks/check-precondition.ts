import { idAlone } from '../../asking/select/selections.ts'
import { CrudError } from '../../errors.ts'
import type { Address } from '../../model/address.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Session } from '../../session/session.ts'
import type { ReadStatements } from '../../sql/read-statements.ts'
import { recordToClientJson } from '../reads/client-json.ts'
import { readRecord } from '../reads/read-record.ts'
import type { Precondition, RecordBefore } from '../write-terms.ts'

/** Fails with what the precondition says of the record, if it does not hold. */
export function checkPrecondition(precondition: Precondition, before: RecordBefore): void {
  const refusal = precondition(before)
  if (refusal !== undefined) throw new CrudError(refusal)
}

/** What the caller finds at an address; without an id, nothing. `reads`: not the whole record where the database cannot build it. */
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
