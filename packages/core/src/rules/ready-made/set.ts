import { didYouMean } from '../../model/check/suggest.ts'
import { isObject } from '../../model/is-object.ts'
import type { Resource } from '../../model/model.ts'
import type { SetInput, SetMember } from '../rule-set.ts'
import type { ReadyMadeRule } from './ready-made-rule.ts'

export interface SetOptions {
  /** `'change'`: for new rows, and for rows that change. Default: for new rows. */
  readonly on?: 'change'
}

type Makers = Readonly<Record<string, (given: SetInput) => unknown>>

/**
 * A rule that gives values to fields and foreign keys. They are read-only in bodies. A function that returns undefined
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

/** Whether a rule can give the resource's rows a value of that name. If not, the problems have one more. */
function checkSettable(resource: Resource, name: string, problems: string[]): boolean {
  const { key, members, references, ownedBy } = resource
  const known = members.map(({ property }) => property)
  if (known.includes(name)) return true
  const reference = references.find((one) => one.name === name)
  const owner = ownedBy.find((one) => one.foreignKey === name)
  if (reference !== undefined) {
    problems.push(`'${name}' is a relation of ${key}: name its foreign key, '${reference.foreignKey}'`)
  } else if (owner !== undefined) {
    problems.push(`'${name}' is the foreign key of the owner of the ${key}, which the path names`)
  } else problems.push(`${key} has no field or foreign key '${name}'${didYouMean(name, known)}`)
  return false
}
