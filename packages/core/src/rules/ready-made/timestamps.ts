import { didYouMean } from '../../model/check/suggest.ts'
import { isObject } from '../../model/is-object.ts'
import type { SetInput } from '../rule-set.ts'
import type { ReadyMadeRule } from './ready-made-rule.ts'
import { set } from './set.ts'

/** What the fields are called that get the times. Default: `createdAt` and `updatedAt`. */
export interface TimestampNames<Created extends string = string, Updated extends string = string> {
  readonly createdAt?: Created
  readonly updatedAt?: Updated
}

type TimesRule<Name extends string> = ReadyMadeRule<{ readonly [N in Name]: string | null }, { [N in Name]: string }>

const NAMES = ['createdAt', 'updatedAt'] as const

/**
 * A rule that gives the time of the request to `createdAt` of new rows, and to `updatedAt` of new and changed ones: in UTC, as in
 * `2026-11-23T20:15:00.000Z`. All rows of a request have the same time.
 *
 * @example
 * const rules = { order: timestamps(), line: timestamps({ createdAt: 'created_at', updatedAt: 'updated_at' }) }
 */
export function timestamps<const Created extends string = 'createdAt', const Updated extends string = 'updatedAt'>(
  names: TimestampNames<Created, Updated> = {},
): TimesRule<NoInfer<Created | Updated>> {
  return Object.freeze({
    partsFor(resource, problems, model) {
      if (!isObject(names)) {
        problems.push("timestamps: must have an object with names of fields, such as { createdAt: 'created_at' }")
        return {}
      }
      for (const name of Object.keys(names)) {
        if (!NAMES.includes(name as 'createdAt')) {
          problems.push(`timestamps: there is no option '${name}'${didYouMean(name, NAMES)}`)
        }
      }
      const { createdAt = 'createdAt', updatedAt = 'updatedAt' }: TimestampNames = names
      for (const { name, check } of resource.fields) {
        if (name !== createdAt && name !== updatedAt) continue
        if (check(new Date(0).toISOString()).length > 0)
          problems.push(`timestamps: '${name}' does not accept date-times`)
      }
      const created = set({ [createdAt]: timeOf })
      const updated = set({ [updatedAt]: timeOf }, { on: 'change' })
      const setMembers = [created, updated].flatMap((rule) => rule.partsFor(resource, problems, model).setMembers ?? [])
      return { setMembers }
    },
  } satisfies ReadyMadeRule)
}

function timeOf({ now }: SetInput): string {
  return now.toISOString()
}
