import type { Session } from '../../connection/session.ts'
import { CrudError } from '../../errors.ts'
import type { Address } from '../../model/address.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { ReadStatements } from '../../query/read-statements.ts'
import { idAlone } from '../../reading/select/selections.ts'
import { recordToClientJson } from '../read/client-json.ts'
import { readRecord } from '../read/read-record.ts'
import type { Precondition, RecordBefore } from '../types/write-terms.ts'

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
