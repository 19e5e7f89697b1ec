import { databaseErrorKind } from '../connection/database-errors.ts'
import { andThen, forEachInTurn, orElse, type PromiseOrValue } from '../connection/promise-or-value.ts'
import { pipeline, type Session } from '../connection/session.ts'
import { StepError } from '../connection/step-error.ts'
import { CrudError } from '../errors.ts'
import type { OrderedChanges, OrderedStep } from '../plan/order/ordered.ts'
import type { Statements } from '../query/statements.ts'
import type { JoinedSteps } from '../query/steps/joined-steps.ts'
import { type NewIds, newIdsOf } from '../query/steps/new-ids.ts'
import { prepareIds } from './prepare-ids.ts'
import { readKept, readRecord, shownIfSendable } from './read.ts'
import type { WriteParts, WriteRequest, Written } from './write-request.ts'

/** Runs a plan but for its last statement. Returns what sends that one, and the one that reads the record behind it. */
export function runAndReadBack(
  parts: WriteParts,
  session: Session,
  request: WriteRequest,
  ordered: OrderedChanges,
): PromiseOrValue<() => PromiseOrValue<Written>> {
  const newIds = newIdsOf(ordered)
  const groups = groupsOf(parts, ordered)
  const run = (steps: readonly OrderedStep[]) => runGroup(parts, session, steps, newIds)
  const ran = andThen(prepareIds(parts, session, ordered, newIds), () => forEachInTurn(groups.slice(0, -1), run))
  const runLast = () => {
    const last = groups.at(-1)
    return last === undefined ? undefined : run(last)
  }
  return andThen(ran, () => () => {
    const written = pipeline(session, runLast, () => readBack(parts, session, request, ordered, newIds))
    return andThen(written, (json) => ({ id: resultOf(ordered, newIds), json }))
  })
}

/** What one statement does. Where an error has to tell the row, or cannot be looked into later, each step is one. */
function groupsOf({ context, statements }: WriteParts, ordered: OrderedChanges): readonly (readonly OrderedStep[])[] {
  const isJoined = statements.ahead !== undefined && !ordered.rowByRow && !context.db.isTransaction
  return isJoined ? statements.groups(ordered.steps) : ordered.steps.map((step) => [step])
}

function runGroup(
  { statements }: WriteParts,
  session: Session,
  steps: readonly OrderedStep[],
  newIds: NewIds,
): PromiseOrValue<unknown> {
  const [first] = steps as [OrderedStep]
  const { ahead } = statements
  return orElse<unknown>(
    () =>
      ahead === undefined
        ? runStep(session, statements, first, newIds)
        : runJoined(session, ahead.joined(steps, newIds), newIds),
    (error) => {
      throw databaseErrorKind(error) === 'other' ? error : new StepError(first, error)
    },
  )
}

function runJoined(
  session: Session,
  { statement, values, gives }: JoinedSteps,
  { known }: NewIds,
): PromiseOrValue<void> {
  return andThen(session.rows(statement, values), ([row = {}]) => {
    const ids = Object.values(row)
    for (const [index, number] of gives.entries()) known[number] = Number(ids[index])
  })
}

function runStep(session: Session, { steps }: Statements, step: OrderedStep, newIds: NewIds): PromiseOrValue<unknown> {
  const { shape, values } = steps.part(step, newIds)
  const number = step.step === 'insert' ? newIds.alone.get(step.resource) : undefined
  if (number === undefined) return session.rows(shape.alone(), values)
  return andThen(session.insertedId(shape.alone(), values), (id) => {
    newIds.known[number] = id
  })
}

function readBack(
  { statements }: WriteParts,
  session: Session,
  { at, readsBack }: WriteRequest,
  ordered: OrderedChanges,
  newIds: NewIds,
): PromiseOrValue<string | undefined> {
  if (!readsBack || ordered.result === undefined) return undefined
  const id = resultOf(ordered, newIds)
  const { ahead } = statements
  return orElse<string | undefined>(
    () => {
      const record =
        id === undefined && ahead !== undefined
          ? readKept(session, statements, ahead, at)
          : readRecord(session, statements, at, id as number)
      return andThen(record, (json) => shownIfSendable(at, json))
    },
    (error) => {
      // Not one for the client: by then the write may be committed.
      if (!(error instanceof CrudError)) throw error
      throw new Error('the record cannot be read after it was written', { cause: error })
    },
  )
}

/** The id of the record that the request is about; undefined if it is deleted, or not known yet. */
function resultOf({ result }: OrderedChanges, { known }: NewIds): number | undefined {
  return typeof result === 'object' ? known[result.new] : result
}
