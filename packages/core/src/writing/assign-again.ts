import type { Id } from '../model/ids/id-kind.ts'
import type { Resource } from '../model/model.ts'
import { draftsThatNeedIds } from '../planning/body/assign-ids.ts'
import type { MutableDraft } from '../planning/body/draft.ts'
import { databaseErrorKind } from '../session/database-errors.ts'
import { causeOf } from '../session/statement-error.ts'
import { lookUpOutside } from './look-up-outside.ts'
import { draftsOf, type WriteCall, type WriteParts } from './write-call.ts'

/** How often the library asks for another id for one write. */
const MOST_TIMES = 3

/**
 * Gives new records other ids, where a unique key has refused ids that the library assigned: those that are taken. Returns whether there
 * were some, so that the write can be tried again. Fails if an application's `assign` returns taken ids again and again.
 */
export async function assignAgain(parts: WriteParts, call: WriteCall, error: unknown, times: number): Promise<boolean> {
  if (databaseErrorKind(causeOf(error)) !== 'unique') return false
  const assigned = draftsOf(call)
    .flatMap(draftsThatNeedIds)
    .filter(({ id }) => id !== undefined && id !== chosenIn(call))
  if (assigned.length === 0 || parts.context.db.isTransaction) return false
  const ids = new Map<Resource, Set<Id>>()
  for (const { resource, id } of assigned) ids.set(resource, (ids.get(resource) ?? new Set<Id>()).add(id as Id))
  const { given } = await lookUpOutside(parts, { given: ids }, call.requestContext)
  const isTaken = ({ resource, id }: MutableDraft) => given.get(resource)?.has(id as Id) === true
  const taken = assigned.filter(isTaken)
  const [first] = taken
  if (first === undefined) return false
  if (times === MOST_TIMES) {
    throw new Error(`${first.resource.key}: id.assign returned ids that are taken, ${MOST_TIMES + 1} times`, {
      cause: error,
    })
  }
  for (const draft of taken) draft.id = draft.resource.id.assign?.()
  return true
}

function chosenIn(call: WriteCall): Id | undefined {
  return call.operation === 'create' ? call.chosenId : undefined
}
