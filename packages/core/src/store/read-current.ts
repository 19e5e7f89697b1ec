import type { Session } from '../connection/session.ts'
import { CrudError } from '../errors.ts'
import type { Address } from '../model/address.ts'
import type { Id } from '../model/ids.ts'
import type { Draft } from '../plan/body/draft.ts'
import { addHidden, concernsHidden } from '../plan/diff/add-hidden.ts'
import { changesToCreate } from '../plan/plan-create.ts'
import { changesToDelete } from '../plan/plan-delete.ts'
import { changesToUpdate } from '../plan/plan-update.ts'
import type { RecordData } from '../plan/record-data.ts'
import type { RecordOwner } from '../plan/record-owner.ts'
import type { RowAction } from '../policies/rights.ts'
import { idsOf, stateOf } from '../query/reads/selection.ts'
import type { Statements } from '../query/statements.ts'
import { beforeConflict } from './check-planned.ts'
import { AnswerTooLargeError, readOwner, readRecord, recordTooLarge, shown, vacancyRefusal } from './read.ts'
import type { WriteParts, WriteRequest } from './write-request.ts'

type ReadCurrent = WriteRequest['readCurrent']

/** A POST: whether there is room for the record. */
export function readToCreate(parts: WriteParts, at: Address, id: Id | undefined, draft: Draft): ReadCurrent {
  const owner = ownerIn(at)
  return async (session) => {
    const changes = changesToCreate(draft, owner, id)
    const refusal = await vacancyRefusal(session, parts.statements, at, id)
    if (refusal !== undefined) throw new CrudError(await beforeConflict(parts, session, changes.diff.changes, refusal))
    return { ...changes, record: undefined, stored: undefined }
  }
}

/** A PUT or PATCH: the record, compared with the body. */
export function readToUpdate({ context, statements }: WriteParts, at: Address, id: Id, draft: Draft): ReadCurrent {
  return async (session, readsBefore, before) => {
    const { resource } = at.path
    const selection = readsBefore === 'whole' ? undefined : stateOf(resource)
    const record = await readRecord(session, statements, at, id, selection, 'EditBefore')
    if (record === undefined) {
      throw readsBefore === 'whole' ? new AnswerTooLargeError() : recordTooLarge(at, id, context.maxAnswer)
    }
    if (before !== undefined && record === before.record && before.stored === undefined) return before
    const data = JSON.parse(shown(at, record)) as RecordData
    const owner = await readOwner(session, statements, resource, id)
    const diff = changesToUpdate(draft, data, owner)
    const stored = concernsHidden(diff, context.rights) ? await readIds(session, statements, at, id) : undefined
    if (stored !== undefined) addHidden(diff, resource, JSON.parse(shown(at, stored)) as RecordData)
    return { diff, result: id, record: readsBefore === 'whole' ? record : undefined, stored }
  }
}

/** A DELETE: the ids of the record and of all that it owns. */
export function readToDelete({ statements }: WriteParts, at: Address, id: Id): ReadCurrent {
  return async (session) => {
    const record = await readIds(session, statements, at, id, 'Delete')
    const current = JSON.parse(shown(at, record)) as RecordData
    return {
      diff: changesToDelete(at.path.resource, current, ownerIn(at)),
      result: undefined,
      record,
      stored: undefined,
    }
  }
}

/** The ids of a record and of all that it owns. */
async function readIds(
  session: Session,
  statements: Statements,
  at: Address,
  id: Id,
  action?: RowAction,
): Promise<string> {
  const ids = await readRecord(session, statements, at, id, idsOf(at.path.resource), action)
  if (ids === undefined) throw recordTooLarge(at, id, statements.maxAnswer)
  return ids
}

/** The owner that the path names. */
function ownerIn({ path, owners }: Address): RecordOwner | undefined {
  const owns = path.relations.at(-1)
  return owns && { by: owns.inverse, id: owners.at(-1) as Id }
}
