import { type BodyProblem, CrudError, invalid, type Problem, type Refusal, refusedByRules } from '../../errors.ts'
import { pointerTo } from '../../planning/body/pointer.ts'
import type { RuledRow } from '../rows/ruled-row.ts'
import type { Refusing } from '../rule-types.ts'

interface RowProblem extends BodyProblem {
  readonly row: number
}

/** The refusals of one stage. */
export interface Refusals {
  /** The ways in which a rule refuses a row. Rows are reported in the order in which they are asked for here. */
  of(row: Pick<RuledRow, 'pointer' | 'isInBody' | 'isShown'>): Refusing
  /** Those by `invalid` as `CRUD_ERR_INVALID`; without any, those by `refuse` as `CRUD_ERR_REFUSED`; undefined if there are none. */
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
