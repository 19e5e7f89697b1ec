import { isObject } from '../model/is-object.ts'
import { didYouMean } from '../model/suggest.ts'
import { checkSettable } from './check-settable.ts'
import type { ReadyMadeRule } from './ready-made-rule.ts'
import type { SetInput, SetMember } from './rule-set.ts'

export interface SetOptions {
  /** `'change'`: for new rows, and for rows that change. Default: for new rows. */
  readonly on?: 'change'
}

type Makers = Readonly<Record<string, (given: SetInput) => unknown>>

/**
 * A rule that gives values to fields and foreign keys. Nobody else can: they are read-only in bodies. A function that returns undefined
 * leaves its value as it is. A row that has no other change is not changed.
 *
 * @example
 * const rules = { order: set({ orgId: ({ caller }) => caller.org }) }
 */
export function set<V extends Makers>(
  values: V,
  options: SetOptions = {},
): ReadyMadeRule<{ [N in keyof V]: unknown }, { [N in keyof V]: ReturnType<V[N]> }> {
  return Object.freeze({
    partsFor(resource, problems) {
      if (!isObject(values)) {
        problems.push(
          'set: must have an object with a function for each field, such as { orgId: ({ caller }) => caller.org }',
        )
        return {}
      }
      for (const name of Object.keys(options)) {
        if (name !== 'on') problems.push(`set: there is no option '${name}'${didYouMean(name, ['on'])}`)
      }
      const { on } = options
      const setMembers: SetMember[] = []
      for (const [name, give] of Object.entries(values)) {
        if (!checkSettable(resource, name, problems)) continue
        if (typeof give === 'function') setMembers.push({ property: name, on: on ?? 'add', valueFor: give })
        else problems.push(`set: '${name}' must be a function that returns the value`)
      }
      if (on !== undefined && on !== 'change') problems.push("set: 'on' must be 'change', or be left out")
      return { setMembers }
    },
  } satisfies ReadyMadeRule)
}
