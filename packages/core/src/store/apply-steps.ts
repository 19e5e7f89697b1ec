import { databaseErrorKind } from '../connection/database-errors.ts'
import { andThen, atOnce, forEachInTurn, orElse, type PromiseOrValue } from '../connection/promise-or-value.ts'
import type { Resource } from '../model/model.ts'
import type { NewRow } from '../plan/diff/changes.ts'
import type { OrderedChanges, OrderedStep } from '../plan/order/ordered.ts'
import type { Runner } from '../query/prepare.ts'
import type { Statements, StatementsAhead } from '../query/statements.ts'
import {
  chosenIds,
  givesIds,
  type KnownIds,
  loneRow,
  namedRows,
  newRowsOf,
  noteGivenIds,
  reserveValues,
  toIds,
} from '../query/steps/new-ids.ts'
import type { Steps } from '../query/steps/steps.ts'
import { StepError } from './step-error.ts'

/** Changes that are applied, or are but for the last statement. */
export type Applied = ById | (LastStatement & (ById | Kept))

export interface LastStatement {
  /**
   * Runs the last statement, if it is left: nothing of the changes waits for its answer, so what comes next may go off behind
   * it. Gives the id of the record that the request is about; undefined if it is gone. Fails with a StepError as well.
   */
  last(): PromiseOrValue<number | undefined>
}

/** The id of the record that the request is about; undefined if it is gone. */
export interface ById {
  readonly id: number | undefined
}

/** The transaction keeps that id, for a statement that reads the record. */
export interface Kept {
  readonly keptBy: StatementsAhead
}

/**
 * Runs the groups of steps, each as one statement, but for the last. New rows get their ids as they are inserted.
 *
 * @throws StepError if the database refuses a group for a reason that the plan could not know.
 */
export function applyJoined(
  on: Runner,
  ahead: StatementsAhead,
  ordered: OrderedChanges,
  groups: readonly (readonly OrderedStep[])[],
): PromiseOrValue<Applied> {
  const known = chosenIds(ordered)
  const named = namedRows(ordered)
  const { result } = ordered
  const kept = typeof result === 'object' ? result.new : undefined
  const run = (steps: readonly OrderedStep[]): PromiseOrValue<void> => {
    const { statement, values, tellsIds } = ahead.joined(steps, { named, known, kept })
    const noted = () =>
      andThen(statement.json(on, values), (ids) => {
        if (tellsIds) noteGivenIds(ids as string, known)
      })
    return orElse(noted, (error) => {
      throw asStepError(steps[0] as OrderedStep, error)
    })
  }
  const last = (): PromiseOrValue<number | undefined> => {
    const steps = groups.at(-1)
    return andThen(steps && run(steps), () => resultOf(ordered, known))
  }
  const applied = typeof result === 'object' ? { last, keptBy: ahead } : { last, id: result }
  return andThen(forEachInTurn(groups.slice(0, -1), run), () => applied)
}

export interface StepByStep {
  /** SQLite: the database keeps the highest id that each table ever gave. */
  readonly hasSequences: boolean
  /** One statement for each row that is written, so that an error tells which row it was. */
  readonly rowByRow: boolean
}

/**
 * Runs the steps one by one. New rows that others name get their ids before they are inserted, but for the record that the
 * request is about, where the driver tells which id it was given.
 *
 * @throws StepError if the database refuses a step for a reason that the plan could not know.
 */
export function applyStepByStep(
  on: Runner,
  statements: Statements,
  ordered: OrderedChanges,
  { hasSequences, rowByRow }: StepByStep,
): PromiseOrValue<Applied> {
  const { steps, result } = ordered
  const known = chosenIds(ordered)
  const named = namedRows(ordered)
  let current: OrderedStep | undefined
  const isTold = (step: OrderedStep): boolean =>
    typeof result === 'object' && statements.tellsInsertedId && loneRow(step) === result

  function reserveIds(): PromiseOrValue<void> {
    const newRows = newRowsOf(steps.filter((step) => givesIds(step, named) && !isTold(step)))
    if (newRows.length === 0) return
    return andThen(statements.reserve(newRows, hasSequences).json(on, reserveValues(newRows)), (json) => {
      const given = JSON.parse(json as string) as (number | number[])[]
      for (const [index, { numbers }] of newRows.entries()) {
        const ids = toIds(given[index] as number | number[], numbers.length)
        for (const [position, number] of numbers.entries()) known[number] = ids[position]
      }
    })
  }

  function run(step: OrderedStep): PromiseOrValue<unknown> {
    if (isTold(step)) {
      current = step
      const { shape, values } = statements.steps.part(step, known, false)
      return andThen(shape.alone().insert(on, values), (id) => {
        known[(result as NewRow).new] = id
      })
    }
    const needsIds = givesIds(step, named)
    return rowByRow ? forEachInTurn(singly(step), (part) => runPart(part, needsIds)) : runPart(step, needsIds)
  }

  function runPart(step: OrderedStep, needsIds: boolean): PromiseOrValue<unknown> {
    current = step
    const { shape, values } = statements.steps.part(step, known, needsIds)
    return shape.alone().run(on, values)
  }

  const ready = ordered.inserts.length > 0 ? reserveIds() : undefined
  const applied = orElse(
    () => andThen(ready, () => forEachInTurn(steps, run)),
    (error) => {
      throw current === undefined ? error : asStepError(current, error)
    },
  )
  return andThen(applied, () => ({ id: resultOf(ordered, known) }))
}

/** Up to so many rows are updated one by one: a statement that tells them apart costs more than one for each. */
const MOST_SINGLY = 4

/**
 * Runs the steps where no row needs an id that is not known, each at once. `singly`: a few rows of a step are updated one by one,
 * in the order of their ids, as one statement would. What that would find out at its end, each of these does: the database may
 * refuse one for a foreign key that is right when all are done.
 */
export function applyAtOnce(
  on: Runner,
  { steps: stepsAsSql }: Statements,
  steps: readonly OrderedStep[],
  singly: boolean,
): void {
  let current: OrderedStep | undefined
  try {
    for (const step of steps) {
      current = step
      if (singly && updateEach(on, stepsAsSql, step)) continue
      const { shape, values } = stepsAsSql.part(step, NO_IDS, false)
      atOnce(shape.alone().run(on, values))
    }
  } catch (error) {
    throw asStepError(current as OrderedStep, error)
  }
}

/** Whether it is an update of a few rows that change the same columns, which is done then. */
function updateEach({ repeat }: Runner, { ofRows }: Steps, step: OrderedStep): boolean {
  if (repeat === undefined || step.step !== 'update' || step.rows.length > MOST_SINGLY) return false
  const { update } = ofRows(step.resource)
  const target = update.commonTarget(step.rows)
  if (target === undefined) return false
  const run = repeat(update.shapeOfOne(target).alone())
  for (const row of step.rows) run(update.valuesOfOne(target, row))
  return true
}

const NO_IDS: KnownIds = []

/** Sees to it that no id that is given from now on, here or elsewhere, is one that the client chose. */
export function keepChosenIds(on: Runner, statements: Statements, { inserts }: OrderedChanges): PromiseOrValue<void> {
  const chosen: { readonly resource: Resource; readonly id: number }[] = []
  for (const { resource, id } of inserts) if (id !== undefined) chosen.push({ resource, id })
  return forEachInTurn(chosen, ({ resource, id }) => statements.skipId(resource)?.run(on, { id }))
}

function resultOf({ result }: OrderedChanges, known: KnownIds): number | undefined {
  return typeof result === 'object' ? known[result.new] : result
}

/** What a database says of a step; any other error as it is. */
function asStepError(step: OrderedStep, error: unknown): unknown {
  return databaseErrorKind(error) === 'other' ? error : new StepError(step, error)
}

function singly(step: OrderedStep): OrderedStep[] {
  switch (step.step) {
    case 'insert':
      return step.rows.map((row) => ({ ...step, rows: [row] }))
    case 'park':
    case 'update':
      return step.rows.map((row) => ({ ...step, rows: [row] }))
    case 'link':
      return step.pairs.map((pair) => ({ ...step, pairs: [pair] }))
    case 'unlink':
    case 'unlinkAll':
    case 'clear':
    case 'release':
    case 'delete':
      return [step]
  }
}
