import { type BodyProblem, CrudError, invalid, type Problem, type Refusal, refusedByRules } from '../../errors.ts'
import { pointerTo } from '../../plan/body/pointer.ts'
import type { RuledRow } from '../rows/ruled-row.ts'
import type { Refusing } from '../rule-types.ts'

interface RowProblem extends BodyProblem {
  readonly row: number
}

/** What the rules of one stage have against a write. */
export interface Refusals {
  /** The ways in which a rule refuses a row. Rows are reported in the order in which they are asked for here. */
  of(row: Pick<RuledRow, 'pointer' | 'isInBody' | 'isShown'>): Refusing
  /** All that was refused: `CRUD_ERR_INVALID` with what is invalid alone, else `CRUD_ERR_REFUSED`; undefined if nothing. */
  refusal(): Refusal | undefined
  /** Fails with {@link refusal}, if there is one. */
  check(): void
}

export function refusals(): Refusals {
  const refused: RowProblem[] = []
  const wrong: RowProblem[] = []
  let isHiddenRefused = false
  let rows = 0
  const refusal = () => {
    if (wrong.length > 0) return invalid(inOrder(wrong))
    if (refused.length > 0) return refusedByRules(inOrder(refused))
    // Beside others, it would tell that there is a hidden row.
    return isHiddenRefused ? refusedByRules([{ pointer: '', message: 'this is refused' }]) : undefined
  }
  return {
    refusal,
    of: ({ pointer, isInBody, isShown }) => {
      const row = rows++
      // Not even the kind of refusal is told of a row that the caller may not see.
      const refuseHidden = () => {
        isHiddenRefused = true
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

/** Rules may run in another order. */
function inOrder(problems: readonly RowProblem[]): readonly Problem[] {
  return problems.toSorted((one, other) => one.row - other.row).map(({ pointer, message }) => ({ pointer, message }))
}
