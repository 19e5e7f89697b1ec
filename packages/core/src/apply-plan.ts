import { databaseErrorKind } from './database-errors.ts'
import { type Model, resourceOf } from './model/model.ts'
import type { NewRow } from './plan/changes.ts'
import type { Plan, Step } from './plan/plan.ts'
import { andThen, forEachInTurn, orElse, type PromiseOrValue } from './promise-or-value.ts'
import {
  givesIds,
  isResult,
  loneRow,
  namedRows,
  newRowsOf,
  noteGivenIds,
  reserveValues,
  toIds,
} from './query/new-ids.ts'
import type { Runner } from './query/prepare.ts'
import type { Statements, StatementsAhead } from './query/statements.ts'
import { StepError } from './step-error.ts'

/** What a plan is applied with. */
export interface Application {
  readonly on: Runner
  readonly model: Model
  readonly statements: Statements
}

/** A plan that is applied but for its last statement. */
export type Applied = LastStatement & (ById | Kept)

export interface LastStatement {
  /**
   * Runs the last statement, if it is left: nothing of the plan waits for its answer, so what comes next may go off behind
   * it. Gives the id of the record that the request is about; undefined if it is gone. Fails with a StepError as well.
   */
  last(): PromiseOrValue<number | undefined>
}

/** The same id is known before. */
export interface ById {
  readonly id: number | undefined
}

/** The transaction keeps it, for a statement that reads the record. */
export interface Kept {
  readonly keptBy: StatementsAhead
}

/**
 * Runs the groups of steps of a plan, each as one statement, but for the last. New rows get their ids as they are inserted.
 *
 * @throws StepError if the database refuses a group for a reason that the plan could not know.
 */
export function applyJoined(
  { on, model }: Application,
  ahead: StatementsAhead,
  plan: Plan,
  groups: readonly (readonly Step[])[],
): PromiseOrValue<Applied> {
  const known = new Map<number, number>()
  const named = namedRows(model, plan)
  const { result } = plan
  const kept = typeof result === 'object' ? result.new : undefined
  const run = (steps: readonly Step[]): PromiseOrValue<void> => {
    const { statement, values, tellsIds } = ahead.joined(steps, { named, known, kept })
    return asStep(steps[0] as Step, () =>
      andThen(statement.json(on, values), (ids) => {
        if (tellsIds) noteGivenIds(ids as string, known)
      }),
    )
  }
  const last = (): PromiseOrValue<number | undefined> => {
    const steps = groups.at(-1)
    return andThen(steps && run(steps), () => resultOf(plan, known))
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
 * Runs the steps of a plan one by one. New rows that others name get their ids before they are inserted, but for the
 * record that the request is about, where the driver tells which id it was given.
 *
 * @throws StepError if the database refuses a step for a reason that the plan could not know.
 */
export function applyStepByStep(
  { on, model, statements }: Application,
  plan: Plan,
  { hasSequences, rowByRow }: StepByStep,
): PromiseOrValue<Applied> {
  const known = new Map<number, number>()
  const named = namedRows(model, plan)
  const bringsIds = plan.steps.map((step) => givesIds(step, named))
  const isTold = (step: Step): boolean => statements.tellsInsertedId && isResult(loneRow(step), plan.result)

  function reserveIds(): PromiseOrValue<void> {
    if (!bringsIds.includes(true)) return
    const newRows = newRowsOf(
      model,
      plan.steps.filter((step, index) => bringsIds[index] && !isTold(step)),
    )
    if (newRows.length === 0) return
    return andThen(statements.reserve(newRows, hasSequences).json(on, reserveValues(newRows)), (json) => {
      const given = JSON.parse(json as string) as (number | number[])[]
      for (const [index, { numbers }] of newRows.entries()) {
        const ids = toIds(given[index] as number | number[], numbers.length)
        for (const [position, number] of numbers.entries()) known.set(number, ids[position] as number)
      }
    })
  }

  function run(step: Step, index: number): PromiseOrValue<unknown> {
    const needsIds = bringsIds[index] === true
    if (needsIds && isTold(step)) {
      const { statement, values } = statements.step(step, known, false)
      return asStep(step, () =>
        andThen(statement.insert(on, values), (id) => {
          known.set((plan.result as NewRow).new, id)
        }),
      )
    }
    if (rowByRow) return forEachInTurn(singly(step), (part) => runPart(part, needsIds))
    return runPart(step, needsIds)
  }

  function runPart(step: Step, needsIds: boolean): PromiseOrValue<unknown> {
    const { statement, values } = statements.step(step, known, needsIds)
    return asStep(step, () => statement.run(on, values))
  }

  const applied = andThen(reserveIds(), () => forEachInTurn(plan.steps, run))
  return andThen(applied, () => {
    const id = resultOf(plan, known)
    return { id, last: () => id }
  })
}

/** Sees to it that no id that is given from now on, here or elsewhere, is one that the client chose. */
export function keepChosenIds({ on, model, statements }: Application, { steps }: Plan): PromiseOrValue<void> {
  const chosen: { readonly resource: string; readonly id: number }[] = []
  for (const step of steps) {
    if (step.step !== 'insert') continue
    for (const { id } of step.rows) if (typeof id === 'number') chosen.push({ resource: step.resource, id })
  }
  return forEachInTurn(chosen, ({ resource, id }) => statements.skipId(resourceOf(model, resource))?.run(on, { id }))
}

function resultOf({ result }: Plan, known: ReadonlyMap<number, number>): number | undefined {
  return typeof result === 'object' ? known.get(result.new) : result
}

function asStep<Result>(step: Step, work: () => PromiseOrValue<Result>): PromiseOrValue<Result> {
  return orElse(work, (error) => {
    throw databaseErrorKind(error) === 'other' ? error : new StepError(step, error)
  })
}

function singly(step: Step): Step[] {
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
    case 'delete':
      return [step]
  }
}
