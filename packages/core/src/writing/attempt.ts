import { busy, CrudError } from '../errors.ts'
import type { Resource } from '../model/model.ts'
import { onceFor } from '../model/once-for.ts'
import { otherEnd, ownedTree } from '../model/resource-tree.ts'
import type { InvisibleResources } from '../planning/body/draft.ts'
import { PendingAnswersError } from '../planning/decide/planned-actions.ts'
import { AT_ONCE, type OrderedStep, type WritingRows } from '../planning/order/ordered.ts'
import { OwnersMovedError, type RowLocks, rowLocks } from '../rules/rows/row-locks.ts'
import { databaseErrorKind, subjectOf } from '../session/database-errors.ts'
import { causeOf } from '../session/session.ts'
import type { QueryContext } from '../sql/context.ts'
import { mayRunRules, RightLostError } from './checks/check-allowed.ts'
import { isGathered } from './effects/current-gathering.ts'
import { AnswerTooLargeError } from './reads/client-json.ts'
import { AnswerChangedError } from './reads/read-record.ts'
import { StepError } from './run-group.ts'
import type { WriteCall, WriteParts } from './write-call.ts'

/** How a write is tried. The first attempt takes each short cut; each further one leaves out what has failed. */
export interface Attempt {
  /** May write without reading first. */
  readonly isBlind: boolean
  /** How much is read of the record before the write: only its state where the whole record is too large for an
   * answer. */
  readonly readsBefore: 'whole' | 'state'
  /** The record is read afterwards: not where nobody asks for it, or the database cannot build it. */
  readonly readsBack: boolean
  readonly writing: WritingRows
  /** Rights that others may take away while the write is under way are asked again at its end. Not if one was lost then
   * already. */
  readonly asksAgain: boolean
  /** What the last attempt was planned from, if other links were found in its answer than it planned. */
  readonly answeredFrom: string | undefined
  /** How many attempts failed as the answer had other links than planned. */
  readonly changedAnswers: number
  /** How many attempts failed at a constraint of the database. */
  readonly constraints: number
  /** The locks that its rules need, and the orders of other records; undefined where there are none of both. */
  readonly rowLocks: RowLocks | undefined
  /** Noted before the first statement that writes, to explain why the attempt fails. */
  planned: PlannedSteps | undefined
}

/** What an attempt is about to do. */
export interface PlannedSteps {
  readonly steps: readonly OrderedStep[]
  /** Resources whose records the caller may not see. */
  readonly hidden: InvisibleResources
}

export function firstAttempt(parts: WriteParts, call: WriteCall): Attempt {
  const { readsBack } = call
  return {
    isBlind: true,
    readsBefore: 'whole',
    readsBack,
    writing: AT_ONCE,
    asksAgain: true,
    answeredFrom: undefined,
    changedAnswers: 0,
    constraints: 0,
    rowLocks: locksOf(parts, call),
    planned: undefined,
  }
}

function locksOf(parts: WriteParts, call: WriteCall): RowLocks | undefined {
  const { rules, context, statements } = parts
  const { at } = call
  const mayBeginAgain = !context.db.isTransaction
  if (rules !== undefined && mayRunRules({ rules }, at)) return rowLocks(rules, mayBeginAgain)
  const { model } = context
  return model !== undefined && (ordersOthers(at.path.resource) || isGathered(parts, call))
    ? rowLocks({ model, statements }, mayBeginAgain)
    : undefined
}

/** Whether a link of the record, or of what it owns, has a number in an array at its other end. */
const ordersOthers = onceFor((resource: Resource) =>
  ownedTree(resource).some(({ links }) => links.some((link) => otherEnd(link)?.order !== undefined)),
)

/** The attempt after one that has failed. Undefined if none would help. Throws a {@link CrudError} if there were too
 * many. */
export function nextAttempt(
  { context, end }: Pick<WriteParts, 'context' | 'end'>,
  failed: Attempt,
  error: unknown,
): Attempt | undefined {
  const attempt = { ...failed, planned: undefined }
  // The answers are there now, and an attempt that lacks a lock of rules takes it first.
  if (error instanceof PendingAnswersError || failed.rowLocks?.isLacking) return attempt
  if (error instanceof OwnersMovedError) return attempt
  if (error instanceof RightLostError) return { ...attempt, isBlind: false, asksAgain: false }
  if (error instanceof AnswerChangedError) {
    const changedAnswers = failed.changedAnswers + 1
    if (changedAnswers === MOST_CHANGED_ANSWERS) throw new CrudError(busy(), { cause: error })
    return { ...attempt, isBlind: false, answeredFrom: error.basis, changedAnswers }
  }
  if (error instanceof AnswerTooLargeError) return { ...attempt, isBlind: false, readsBefore: 'state' }
  if (error instanceof CrudError) return undefined
  if (databaseErrorKind(error) === 'tooLarge') {
    // The database itself cannot build the record: not even its state.
    if (failed.readsBefore === 'state' && !failed.readsBack) return undefined
    return { ...attempt, readsBefore: 'state', readsBack: false }
  }
  const constraints = failed.constraints + 1
  // In a transaction of the library's own, what has failed is undone, and the write goes on from there.
  const mayBeginAnew = !context.db.isTransaction || (end !== undefined && context.dialect.hasSavepoints)
  const mayHelp = mayBeginAnew && constraints < mostAttempts(context, error) && isConstraint(causeOf(error))
  if (!mayHelp) return undefined
  // The record has to be read, to tell why the database refuses the write.
  return { ...attempt, isBlind: false, writing: writingAfter(error, failed.writing), constraints }
}

/** How often a write is done for its answer, while others change its links. */
const MOST_CHANGED_ANSWERS = 9

/**
 * Another writer took a foreign key or unique value after the plan found it free, or only the database knows of a
 * constraint. The second attempt plans anew and writes row by row, to learn which row the database refuses.
 */
const ATTEMPTS = 2

/** A concurrent request may link to a record while it is being deleted: plan again, so often. */
const ATTEMPTS_TO_REMOVE = 8

/** Where temporary values are refused twice, the columns have no room for any. Deferrable keys need none. */
const ATTEMPTS_TO_PARK = 3

function mostAttempts({ dialect }: QueryContext, error: unknown): number {
  if (!(error instanceof StepError)) return ATTEMPTS
  if (error.doing === 'remove') return ATTEMPTS_TO_REMOVE
  return error.doing === 'park' && dialect.deferForeignKeys === undefined ? ATTEMPTS_TO_PARK : ATTEMPTS
}

/** How the attempt writes behind one that a constraint has refused. */
function writingAfter(error: unknown, { rowByRow }: WritingRows): WritingRows {
  return { rowByRow: true, parks: !(rowByRow && error instanceof StepError && error.doing === 'park') }
}

/** A constraint has failed that the plan did not foresee. */
function isConstraint(error: unknown): boolean {
  return subjectOf(error) === 'data'
}
