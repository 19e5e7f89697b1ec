import type { QueryExecutorProvider } from 'kysely'
import { type Doing, databaseErrorKind } from './database-errors.ts'
import { type Model, resourceOf } from './model/model.ts'
import type { RowId } from './plan/changes.ts'
import type { Plan, Step } from './plan/plan.ts'
import type { Statements } from './query/statements.ts'
import type { NumberedStep } from './query/step-statements.ts'

const DOING: Readonly<Record<Step['step'], Doing>> = {
  unlink: 'remove',
  unlinkAll: 'remove',
  clear: 'remove',
  delete: 'remove',
  park: 'park',
  update: 'write',
  insert: 'write',
  link: 'write',
}

/** A step that the database refused. */
export class StepError extends Error {
  override readonly name = 'StepError'
  readonly doing: Doing
  /** Where in the body the row that was refused is; undefined if it is not known. */
  readonly pointer: string | undefined

  constructor(step: NumberedStep, cause: unknown) {
    super(`the database refused to ${step.step}`, { cause })
    this.doing = DOING[step.step]
    this.pointer = pointerOf(step)
  }
}

export interface ApplyOptions {
  /** SQLite: the database keeps the highest id that each table ever gave. */
  readonly hasSequences: boolean
  /** One statement for each row that is written, so that an error tells which row it was. */
  readonly rowByRow: boolean
}

/**
 * Runs the steps of a plan; resolves to the id of the record that the request is about.
 *
 * @throws StepError if the database refuses a step for a reason that the plan could not know.
 */
export async function applyPlan(
  on: QueryExecutorProvider,
  model: Model,
  statements: Statements,
  plan: Plan,
  options: ApplyOptions,
): Promise<number | undefined> {
  // First, so that no id that is given from now on, here or elsewhere, is one that the client chose.
  for (const step of plan.steps) await keepClientIds(on, model, statements, step)
  const idOf = await numberRows(on, model, statements, plan, options)
  for (const step of plan.steps) {
    const numbered = toNumbered(model, step, idOf)
    for (const part of options.rowByRow ? singly(numbered) : [numbered]) {
      const { statement, values } = statements.step(part)
      try {
        await statement.run(on, values)
      } catch (error) {
        throw databaseErrorKind(error) === 'other' ? error : new StepError(part, error)
      }
    }
  }
  return plan.result === undefined ? undefined : idOf(plan.result)
}

/** Gives every new row its id before any is inserted. */
async function numberRows(
  on: QueryExecutorProvider,
  model: Model,
  statements: Statements,
  plan: Plan,
  { hasSequences }: ApplyOptions,
): Promise<(row: RowId) => number> {
  const ids = new Map<number, number>()
  for (const step of plan.steps) {
    if (step.step !== 'insert') continue
    const rows = step.rows.flatMap((row) => (typeof row.id === 'number' ? [] : [row.id.new]))
    if (rows.length === 0) continue
    const floor = Math.max(0, ...step.rows.flatMap((row) => (typeof row.id === 'number' ? [row.id] : [])))
    const result = await statements
      .newIds(resourceOf(model, step.resource), hasSequences)
      .run(on, { count: rows.length, floor })
    const given = result.rows.map((row) => Number(row.id)).sort((a, b) => a - b)
    for (const [index, row] of rows.entries()) ids.set(row, given[index] as number)
  }
  return (row) => (typeof row === 'number' ? row : (ids.get(row.new) as number))
}

async function keepClientIds(
  on: QueryExecutorProvider,
  model: Model,
  statements: Statements,
  step: Step,
): Promise<void> {
  if (step.step !== 'insert') return
  for (const { id } of step.rows) {
    if (typeof id === 'number') await statements.skipId(resourceOf(model, step.resource))?.run(on, { id })
  }
}

function toNumbered(model: Model, step: Step, idOf: (row: RowId) => number): NumberedStep {
  if (step.step === 'link') {
    return { ...step, pairs: step.pairs.map((pair) => ({ ...pair, from: idOf(pair.from) })) }
  }
  if (step.step !== 'insert') return step
  const { ownedBy } = resourceOf(model, step.resource)
  const rows = step.rows.map((row) => {
    const values: Record<string, unknown> = { ...row.values }
    for (const { foreignKey } of ownedBy) {
      const owner = values[foreignKey]
      if (owner !== null) values[foreignKey] = idOf(owner as RowId)
    }
    return { ...row, id: idOf(row.id), values }
  })
  return { ...step, rows }
}

function singly(step: NumberedStep): NumberedStep[] {
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

function pointerOf(step: NumberedStep): string | undefined {
  const written = 'rows' in step ? step.rows : step.step === 'link' ? step.pairs : []
  return written.length === 1 ? written[0]?.pointer : undefined
}
