import type { NewIds } from '../planning/order/new-ids.ts'
import type { OrderedChanges } from '../planning/order/ordered.ts'
import type { Session } from '../session/session.ts'
import type { Statements } from '../sql/statements.ts'
import { noteReserved, reserveValues } from '../sql/steps/reserved-ids.ts'
import type { WriteParts } from './write-call.ts'

/** Keeps the database from assigning ids that clients chose, and reserves those that several new rows of a resource need. */
export async function prepareIds(
  { context, statements }: WriteParts,
  session: Session,
  ordered: OrderedChanges,
  newIds: NewIds,
): Promise<void> {
  if (ordered.rowByRow) await passOverUsedIds(session, statements, ordered)
  for (const { resource, id } of ordered.inserts) {
    const statement = id === undefined ? undefined : statements.skipId(resource)
    if (statement !== undefined) await session.rows(statement, { id })
  }
  const { toReserve } = newIds
  if (toReserve.length === 0) return
  const statement = statements.reserve(toReserve, await hasSequences(session, statements))
  const json = await session.value<string>(statement, reserveValues(context, toReserve))
  noteReserved(context, newIds, json as string)
}

/** Rows that were written past the sequence may have the ids that it would give next. */
async function passOverUsedIds(session: Session, statements: Statements, { inserts }: OrderedChanges): Promise<void> {
  for (const resource of new Set(inserts.map(({ resource }) => resource))) {
    const statement = statements.skipUsedIds(resource)
    if (statement !== undefined) await session.rows(statement, {})
  }
}

const withSequences = new WeakMap<Statements, boolean>()

/** SQLite: whether the database keeps the highest id that each table ever gave. Asked once. */
async function hasSequences(session: Session, statements: Statements): Promise<boolean> {
  const known = withSequences.get(statements)
  if (known !== undefined || statements.sequences === undefined) return known ?? false
  const { length } = await session.rows(statements.sequences, {})
  withSequences.set(statements, length > 0)
  return length > 0
}
