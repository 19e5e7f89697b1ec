import { CrudError, forbiddenByDatabase } from '../errors.ts'
import { assignedBy, deriveIds, type NewIds } from '../planning/order/new-ids.ts'
import { type Doing, type OrderedStep, rowsOfStep, traitsOf } from '../planning/order/ordered.ts'
import { databaseErrorKind } from '../session/database-errors.ts'
import { type Session, SkippedRowsError, StatementError } from '../session/session.ts'
import { raisedBy, UNDONE } from '../sql/dialect/dialect.ts'
import type { JoinedSteps } from '../sql/steps/joined-steps.ts'
import type { StepPart } from '../sql/steps/step-shape.ts'
import { idSqlOf } from '../sql/text/member-id-sql.ts'
import type { WriteStatements } from '../sql/write-statements.ts'
import type { WriteParts } from './write-call.ts'

type RunParts = Pick<WriteParts, 'context' | 'statements'>

/**
 * Runs steps that one statement can do. Throws a {@link StepError} if the database refuses them, or leaves some of
 * their rows as they are, as a trigger may without an error.
 */
export async function runGroup(
  parts: RunParts,
  session: Session,
  steps: readonly OrderedStep[],
  newIds: NewIds,
): Promise<void> {
  const { pipelined } = parts.statements
  const [first] = steps as [OrderedStep]
  const hasSettings = session.settings !== undefined
  try {
    if (pipelined === undefined) await runStep(parts, session, first, newIds)
    else await runJoined(session, pipelined.joined(steps, newIds, hasSettings), newIds)
  } catch (error) {
    const isSkipped = raisedBy(error) === UNDONE
    // With settings, PostgreSQL's own policies say what may be written.
    if (isSkipped && hasSettings) throw new CrudError(forbiddenByDatabase(), { cause: error })
    if (isSkipped) throw new StepError(first, new SkippedRowsError(error))
    throw databaseErrorKind(error) === 'other' ? error : new StepError(first, error)
  }
}

async function runJoined(
  session: Session,
  { statement, values, returned }: JoinedSteps,
  newIds: NewIds,
): Promise<void> {
  const [row = {}] = await session.rows(statement, values)
  const columns = Object.values(row)
  for (const [index, { number, fromText }] of returned.entries())
    newIds.ids[number] = fromText(columns[index] as string)
  deriveIds(newIds)
}

/** Runs a step where each is a statement of its own, which is waited for. */
async function runStep(
  { context, statements }: RunParts,
  session: Session,
  step: OrderedStep,
  newIds: NewIds,
): Promise<void> {
  const part = statements.steps.part(step, newIds)
  const { shape, values } = part
  const number = step.step === 'insert' ? assignedBy(step, newIds) : undefined
  if (step.step !== 'insert' || number === undefined) {
    const { changes } = await session.run(shape.ownStatement(), values)
    await checkWritten(statements, session, step, part, changes)
    return
  }
  const { assigned, fromText } = idSqlOf(context, step.resource)
  let id: unknown
  if (assigned?.isReturned) {
    const { changes, insertId } = await session.run(shape.ownStatement(), values)
    await checkWritten(statements, session, step, part, changes)
    id = insertId
  } else {
    id = await session.value(shape.returningId(step.resource), values)
    if (id === undefined) throw new SkippedRowsError()
  }
  if (id === undefined) throw new TypeError('the dialect does not return the id of an inserted row')
  newIds.ids[number] = fromText(String(id))
  deriveIds(newIds)
}

async function checkWritten(
  statements: WriteStatements,
  session: Session,
  step: OrderedStep,
  { shape, values }: StepPart,
  changes: number | undefined,
): Promise<void> {
  const expected = rowsOfStep(step)
  if (expected === undefined || changes === undefined || changes >= expected) return
  // A link may have been there, where the caller does not see it.
  const howMany = shape.howManyThere()
  if (howMany !== undefined && ((await session.value<number | bigint>(howMany, values)) ?? 0) >= expected) return
  // SQLite counts no rows that the triggers of a view have written.
  const of = 'resource' in step ? step.resource : step.step === 'link' ? step.relation : undefined
  const isView = of && statements.isView?.(of)
  if (isView !== undefined && (await session.value(isView, [])) !== undefined) return
  throw new SkippedRowsError()
}

/** A step that the database refused; its `cause` is the driver's error. */
export class StepError extends StatementError {
  override readonly name = 'StepError'
  readonly doing: Doing
  /** Where in the body the row that was refused is; undefined if it is not known. */
  readonly pointer: string | undefined
  readonly step: OrderedStep

  constructor(step: OrderedStep, cause: unknown) {
    super(`the database refused to ${step.step}`, cause)
    this.doing = traitsOf(step).doing
    this.pointer = pointerOf(step)
    this.step = step
  }
}

function pointerOf(step: OrderedStep): string | undefined {
  if (step.step === 'swap') return step.parked[0]?.pointer
  if (step.step === 'number') return undefined
  const written = 'rows' in step ? step.rows : step.step === 'link' ? step.pairs : []
  return written.length === 1 ? written[0]?.pointer : undefined
}
