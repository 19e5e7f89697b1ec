import { CrudError, invalid, type Problem, refusedByRules } from '../errors.ts'
import { pointerTo } from '../plan/body/pointer.ts'
import type { Refusing } from './rule-types.ts'
import type { RuledRow } from './ruled-row.ts'

/** What the rules of one stage have against a write. */
export interface Refusals {
  /** The ways in which a rule refuses a row. */
  of(row: RuledRow): Refusing
  /** Fails with all that was refused: `CRUD_ERR_INVALID` with what is invalid alone, else `CRUD_ERR_REFUSED`. */
  check(): void
}

export function refusals(): Refusals {
  const refused: Problem[] = []
  const wrong: Problem[] = []
  let isHiddenRefused = false
  return {
    of: ({ pointer, isInBody, isShown }) => {
      // Not even the kind of refusal is told of a row that the caller may not see.
      const refuseHidden = () => {
        isHiddenRefused = true
      }
      if (isShown === false) return { refuse: refuseHidden, invalid: refuseHidden }
      return {
        refuse: (message) => void refused.push({ pointer, message: String(message) }),
        invalid: (field, message) =>
          void wrong.push({ pointer: isInBody ? pointerTo(pointer, field) : pointer, message: String(message) }),
      }
    },
    check() {
      if (wrong.length > 0) throw new CrudError(invalid(wrong))
      if (isHiddenRefused) refused.push({ pointer: '', message: 'this is refused' })
      if (refused.length > 0) throw new CrudError(refusedByRules(refused))
    },
  }
}
