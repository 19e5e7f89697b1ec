import { isObject } from '../model/is-object.ts'
import { didYouMean } from '../model/suggest.ts'
import type { MadeRule } from './made-rule.ts'
import { set } from './set.ts'

/** The names of the caller's values that fields take. */
export interface Stamps {
  /** For new rows. */
  readonly createdBy?: string
  /** For new and changed rows. */
  readonly updatedBy?: string
}

const FIELDS = ['createdBy', 'updatedBy'] as const

/**
 * A rule that gives values of the caller to `createdBy` of new rows, and to `updatedBy` of new and changed ones. Where the caller has no
 * such value, the field stays as it is.
 *
 * @example
 * const rules = { order: stamps({ createdBy: 'id', updatedBy: 'id' }) }
 */
export function stamps<const S extends Stamps>(
  names: S,
): MadeRule<{ [N in keyof S]: unknown }, object, S[keyof S] & string> {
  return Object.freeze({
    partsFor(resource, problems) {
      if (!isObject(names)) {
        problems.push("stamps: must have an object such as { createdBy: 'id', updatedBy: 'id' }")
        return {}
      }
      for (const name of Object.keys(names)) {
        if (FIELDS.some((known) => known === name)) continue
        problems.push(`stamps: takes ${FIELDS.join(' and ')}, and not '${name}'${didYouMean(name, FIELDS)}`)
      }
      const setFields = FIELDS.flatMap((field) => {
        const value = names[field]
        if (value === undefined) return []
        if (typeof value !== 'string') {
          problems.push(`stamps: '${field}' must be the name of a value of the caller, such as 'id'`)
          return []
        }
        const options = field === 'updatedBy' ? ({ on: 'change' } as const) : {}
        return set({ [field]: ({ caller }) => caller[value] }, options).partsFor(resource, problems).setFields ?? []
      })
      return { setFields }
    },
  } satisfies MadeRule)
}
