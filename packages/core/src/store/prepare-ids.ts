import { andThen, forEachInTurn, type PromiseOrValue } from '../connection/promise-or-value.ts'
import type { Session } from '../connection/session.ts'
import type { OrderedChanges } from '../plan/order/ordered.ts'
import type { Statements } from '../query/statements.ts'
import { type NewIds, noteReserved, reserveValues } from '../query/steps/new-ids.ts'
import type { WriteParts } from './write-request.ts'

/** Sees to it that chosen ids are not given again, and reserves the ids that several new rows of a resource need. */
export function prepareIds(
  { statements }: WriteParts,
  session: Session,
  ordered: OrderedChanges,
  newIds: NewIds,
): PromiseOrValue<unknown> {
  if (ordered.inserts.length === 0) return undefined
  const passed = ordered.rowByRow ? passOverUsedIds(session, statements, ordered) : undefined
  return andThen(passed, () =>
    andThen(keepChosenIds(session, statements, ordered), () =>
      newIds.toReserve.length === 0 ? undefined : reserveIds(session, statements, newIds),
    ),
  )
}

/** Rows that were written past the sequence may have the ids that it would give next. */
function passOverUsedIds(
  session: Session,
  statements: Statements,
  { inserts }: OrderedChanges,
): PromiseOrValue<unknown> {
  const inserted = [...new Set(inserts.map(({ resource }) => resource))]
  return forEachInTurn(inserted, (resource) => {
    const statement = statements.skipUsedIds(resource)
    return statement && session.rows(statement, {})
  })
}

function keepChosenIds(session: Session, statements: Statements, { inserts }: OrderedChanges): PromiseOrValue<unknown> {
  const chosen = inserts.filter(({ id }) => id !== undefined)
  return forEachInTurn(chosen, ({ resource, id }) => {
    const statement = statements.skipId(resource)
    return statement && session.rows(statement, { id })
  })
}

function reserveIds(session: Session, statements: Statements, newIds: NewIds): PromiseOrValue<unknown> {
  const { toReserve } = newIds
  return andThen(hasSequences(session, statements), (has) => {
    const statement = statements.reserve(toReserve, has)
    return andThen(session.value<string>(statement, reserveValues(toReserve)), (json) =>
      noteReserved(newIds, json as string),
    )
  })
}

const withSequences = new WeakMap<Statements, boolean>()

/** SQLite: whether the database keeps the highest id that each table ever gave. Asked once. */
function hasSequences(session: Session, statements: Statements): PromiseOrValue<boolean> {
  const known = withSequences.get(statements)
  if (known !== undefined || statements.sequences === undefined) return known ?? false
  return andThen(session.rows(statements.sequences, {}), ({ length }) => {
    withSequences.set(statements, length > 0)
    return length > 0
  })
}
