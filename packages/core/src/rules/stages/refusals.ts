import { type BodyProblem, CrudError, invalid, type Problem, type Refusal, refusedByRules } from '../../errors.ts'
import type { Asker } from '../../model/callers.ts'
import type { Model } from '../../model/model.ts'
import { pointerTo } from '../../planning/body/faults.ts'
import type { Session } from '../../session/session.ts'
import type { AnyKysely } from '../../sql/dialect/database.ts'
import type { RuleStatements } from '../../sql/statements.ts'
import type { NewRowIds, RuledRow } from '../rows/row-change.ts'
import type { RowLocks } from '../rows/row-locks.ts'
import type { ResourceRules } from '../rule-set.ts'
import type { Refusing } from '../rule-types.ts'

interface RowProblem extends BodyProblem {
  readonly row: number
}

/** The refusals of one stage. */
export interface Refusals {
  /** The ways in which a rule refuses a row. Rows are reported in the order in which they are asked for here. */
  of(row: Pick<RuledRow, 'pointer' | 'isInBody' | 'isShown'>): Refusing
  /** Those by `invalid` as `CRUD_ERR_INVALID`; without any, those by `refuse` as `CRUD_ERR_REFUSED`; undefined if there
   * are none. */
  refusal(): Refusal | undefined
  /** Fails with {@link refusal}, if there is one. */
  check(): void
}

export function refusals(): Refusals {
  const refused: RowProblem[] = []
  const wrong: RowProblem[] = []
  let refusesUnseen = false
  let rows = 0
  const refusal = () => {
    if (wrong.length > 0) return invalid(inOrder(wrong))
    if (refused.length > 0) return refusedByRules(inOrder(refused))
    // Only where nothing else is refused: beside other refusals, it would show that there is a hidden row.
    return refusesUnseen ? refusedByRules([{ pointer: '', message: 'the write is refused' }]) : undefined
  }
  return {
    refusal,
    of: ({ pointer, isInBody, isShown }) => {
      const row = rows++
      // Of a row that the caller may not see, not even the kind of refusal is reported.
      const refuseHidden = () => {
        refusesUnseen = true
      }
      if (isShown === false) return { refuse: refuseHidden, invalid: refuseHidden }
      return {
        refuse: (message) => void refused.push({ row, pointer, message: String(message) }),
        invalid: (field, message) =>
          void wrong.push({ row, pointer: isInBody ? pointerTo(pointer, field) : pointer, message: String(message) }),
      }
    },
    check() {
      const found = refusal()
      if (found !== undefined) throw new CrudError(found)
    },
  }
}

/** In the order of the rows, as rules may run in another one. */
function inOrder(problems: readonly RowProblem[]): readonly Problem[] {
  return problems.toSorted((one, other) => one.row - other.row).map(({ pointer, message }) => ({ pointer, message }))
}

/**
 * Gets an error of the database that ends a write: of a trigger, a check, a constraint that the model does not know. It
 * may report it in the application's own words. If it does not, the answer has a neutral text. It may be asynchronous.
 *
 * `error` is the driver's, and clients see nothing of it. It does not get errors after which another attempt succeeded,
 * lost connections, time-outs, and missing rights.
 *
 * @example
 * const errors: ErrorsOption = (error, { refuse }) => {
 *   if (String(error).includes('credit limit')) refuse('the customer has no credit left')
 * }
 */
export type ErrorsOption = (error: unknown, refusing: RefusingError) => unknown

/** The ways to report an error. Of a row that the caller may not see, the answer has neither pointer nor text. */
export interface RefusingError extends Refusing {
  /** The key of the resource whose row was refused, or else of the request's own. */
  readonly resource: string
}

/** Throws a TypeError unless it is a function or left out. */
export function checkErrorsOption(errors: unknown): void {
  if (errors !== undefined && typeof errors !== 'function') throw new TypeError('errors: must be a function')
}

/** The parts of a store and of a write that its rules use. */
export interface RuledWith {
  readonly model: Model
  readonly rules: ReadonlyMap<string, ResourceRules>
  readonly statements: RuleStatements
  readonly locks: RowLocks
  readonly db: AnyKysely
  readonly session: Session
  readonly asker: Asker
  /** The time of the request. */
  readonly now: Date
  /** The ids that clients chose for new rows, by their numbers. */
  readonly chosenIds: NewRowIds
  /** The write is one of several that end together: its invariants are tested then. */
  readonly endsLater: boolean
}

/** A row, and the rules that run for it. */
export interface Ruled {
  readonly row: RuledRow
  readonly rules: ResourceRules
}
