import type { TypedCallerValue } from '../../asking/policies/callers-type.ts'
import { callersValue, valueIn } from '../../asking/policies/placeholders.ts'
import { described } from '../../model/check/foreign-schema.ts'
import type { LogOf } from '../../rules/stages/after-commits.ts'

/** A value of the caller, and where it is asked for. */
export interface AskedValue {
  readonly place: string
  readonly value: TypedCallerValue
}

/** Says in the log, once for each value, that a caller has one of another type than what it is compared with. */
export function misfitLog(asked: readonly AskedValue[], logOf: LogOf = () => console): (caller: unknown) => void {
  // Many policies ask for the same value, so that few are left to be looked at for each request.
  const unseen = Map.groupBy(asked, ({ value: { name, type } }) => `${name} ${type.inWords}`)
  return (caller) => {
    if (unseen.size === 0) return
    for (const [key, group] of unseen) {
      const [first] = group as [AskedValue]
      if (callersValue(caller, first.value) !== undefined) continue
      unseen.delete(key)
      const places = [...new Set(group.map(({ place }) => place))].join(', ')
      logOf({ caller }).warn(`fastify-crud: ${messageFor(caller, first.value)}: ${places}`)
    }
  }
}

function messageFor(caller: unknown, { name, type }: TypedCallerValue): string {
  const is = kindOf(valueIn(caller, name))
  return `the caller's '${name}' is ${is}, and my('${name}') must be ${type.inWords}. Policies that use it are false, computed fields get null`
}

/** Not the value itself, which may be personal. */
function kindOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return 'a string that does not fit'
    case 'number':
      return Number.isFinite(value) ? 'a number that does not fit' : String(value)
    case 'bigint':
    case 'symbol':
    case 'function':
      return `a ${typeof value}`
    default:
      return described(value)
  }
}
