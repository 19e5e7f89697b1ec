import { didYouMean } from '../../model/check/names.ts'
import { isObject } from '../../model/is-object.ts'
import type { Field, Resource } from '../../model/model.ts'
import type { RuleParts } from '../rule-set.ts'
import type { ReadyMadeRule } from './ready-made-rule.ts'

/** For each state the states that may follow. */
type Transitions<S extends string, Next extends string> = { readonly [State in S]: readonly Next[] }

/** The states that the compiler knows: none where they are just texts. */
type Known<S extends string> = string extends S ? never : S

/**
 * A rule for a field that has states: which one may follow which. A new row has the field's default, or the first state
 * of the map if the field has none. Everything else is refused.
 *
 * @example
 * const rules = { invoice: transitions('status', { draft: ['sent'], sent: ['paid'], paid: [] }) }
 */
export function transitions<const F extends string, const S extends string, const Next extends string>(
  name: F,
  map: Transitions<S, Next>,
): ReadyMadeRule<{ [N in F]: unknown }, { [N in F]: Known<S> | Known<Next> }> {
  return Object.freeze({
    partsFor(resource, problems): RuleParts {
      const field = fieldForRule(resource, name, problems)
      const following: Readonly<Record<string, readonly string[]>> = isObject(map) ? map : {}
      const states = Object.keys(following)
      const [first] = states
      if (field === undefined || first === undefined) {
        if (first === undefined) problems.push(`transitions: '${name}' needs at least one state`)
        return {}
      }
      if (field.hasDbDefault) {
        problems.push(`transitions: '${name}' must have a default in the model, not dbDefault`)
      }
      for (const [state, next] of Object.entries(following)) {
        if (Array.isArray(next)) continue
        problems.push(`transitions: '${state}' needs a list of the states that may follow it, such as [] or ['sent']`)
      }
      for (const next of new Set(Object.values(following).flat())) {
        if (states.includes(next)) continue
        problems.push(`transitions: there is no state '${next}' of '${name}'${didYouMean(next, states)}`)
      }
      for (const state of states) {
        if (field.check(state).length > 0) problems.push(`transitions: '${name}' cannot be '${state}'`)
      }
      const initial = field.default ?? first
      const stateOf = (row: Readonly<Record<string, unknown>>) => row[name] as string | null
      const nextOf = (state: string | null): readonly unknown[] =>
        state === null ? [initial] : (following[state] ?? [])
      return {
        defaults: new Map([[name, initial]]),
        validate({ before, after, restored, refuse }) {
          if (after === null || restored) return
          const state = stateOf(after)
          const previous = before && stateOf(before)
          if (before === null && state !== initial) refuse(`${name} of a new ${resource.key} is '${initial}'`)
          if (before === null || state === previous || nextOf(previous).includes(state)) return
          refuse(`${name} cannot change from ${shown(previous)} to ${shown(state)}`)
        },
      }
    },
  } satisfies ReadyMadeRule)
}

function shown(state: string | null): string {
  return state === null ? 'null' : `'${state}'`
}

/** The field that a rule names; undefined, and a problem more, if the resource has none of that name. */
function fieldForRule(resource: Resource, name: string, problems: string[]): Field | undefined {
  const { key, fields, references, ownedBy } = resource
  const field = fields.find((one) => one.name === name)
  if (field !== undefined) return field
  if ([...references, ...ownedBy].some(({ foreignKey }) => foreignKey === name)) {
    problems.push(`'${name}' is a foreign key of ${key}, but the rule needs a field`)
    return undefined
  }
  problems.push(`${key} has no field '${name}'${didYouMean(name, fields)}`)
  return undefined
}
