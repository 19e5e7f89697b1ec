import { didYouMean } from '../../model/check/suggest.ts'
import { isObject } from '../../model/is-object.ts'
import type { ReadyMadeRule } from './ready-made-rule.ts'
import { set } from './set.ts'

/** The names of the caller's values that fields and foreign keys take. */
export interface Stamps {
  /** For new rows. */
  readonly createdBy?: string
  /** The foreign key of a relation `createdBy`. */
  readonly createdById?: string
  /** For new and changed rows. */
  readonly updatedBy?: string
  /** The foreign key of a relation `updatedBy`. */
  readonly updatedById?: string
}

const ON_ADD = ['createdBy', 'createdById'] as const
const ON_CHANGE = ['updatedBy', 'updatedById'] as const
const STAMPS = [...ON_ADD, ...ON_CHANGE] as const

/**
 * A rule that gives values of the caller to `createdBy` or `createdById` of new rows, and to `updatedBy` or `updatedById` of new and changed
 * ones. Where the caller has no such value, they stay as they are.
 *
 * @example
 * const rules = { order: stamps({ createdBy: 'id', updatedBy: 'id' }) }
 */
export function stamps<const S extends Stamps>(
  names: S,
): ReadyMadeRule<{ [N in keyof S]: unknown }, object, S[keyof S] & string> {
  return Object.freeze({
    partsFor(resource, problems, model) {
      if (!isObject(names)) {
        problems.push("stamps: must have an object such as { createdBy: 'id', updatedBy: 'id' }")
        return {}
      }
      for (const name of Object.keys(names)) {
        if (STAMPS.some((known) => known === name)) continue
        problems.push(`stamps: there is no '${name}'${didYouMean(name, STAMPS)}; there are ${STAMPS.join(', ')}`)
      }
      const setMembers = STAMPS.flatMap((property) => {
        const value = names[property]
        if (value === undefined) return []
        if (typeof value !== 'string') {
          problems.push(`stamps: '${property}' must be the name of a value of the caller, such as 'id'`)
          return []
        }
        const options = ON_CHANGE.some((one) => one === property) ? ({ on: 'change' } as const) : {}
        return (
          set({ [property]: ({ caller }) => caller[value] }, options).partsFor(resource, problems, model).setMembers ??
          []
        )
      })
      return { setMembers }
    },
  } satisfies ReadyMadeRule)
}
