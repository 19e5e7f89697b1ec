import type { Refusal } from '../../errors.ts'
import type { Model } from '../../model/model.ts'
import type { Lookup } from './lookup.ts'
import type { HalfPlan } from './outcome.ts'
import { type CreateState, halfPlanOfCreate } from './plan-create.ts'
import { type DeleteState, halfPlanOfDelete, halfPlanOfUpdate, type UpdateState } from './plan-update.ts'

/** What each operation that writes is told of the current state. */
export interface WriteStates {
  readonly create: CreateState
  readonly replace: UpdateState
  readonly patch: UpdateState
  readonly delete: DeleteState
}

/** What has to be looked up; or why the write is refused, whatever the answers are. */
export type LookupOutcome = { readonly lookups: readonly Lookup[] } | { readonly refusal: Refusal }

const halfPlanFor: {
  readonly [O in keyof WriteStates]: (model: Model, key: string, state: WriteStates[O], body: unknown) => HalfPlan
} = {
  create: halfPlanOfCreate,
  replace: (...write) => halfPlanOfUpdate('replace', ...write),
  patch: (...write) => halfPlanOfUpdate('patch', ...write),
  delete: halfPlanOfDelete,
}

/**
 * The first step of a write: says what has to be looked up before it can be planned. The second step is `planCreate`,
 * `planReplace`, `planPatch` or `planDelete`, with the same arguments, and with the answers as `facts` in the state.
 *
 * Goes in: the operation, then what the plan function takes. Comes out: the lookups, none where the write concerns no
 * other record; or the refusal, where the write is refused whatever the answers are.
 *
 * Pure: it changes no argument and asks no database.
 *
 * @throws TypeError as the plan functions do.
 *
 * @example
 * const first = planLookups('patch', resources, 'book', { record }, { publisherId: 3 })
 * if ('refusal' in first) throw new CrudError(first.refusal)
 * // { lookups: [{ lookup: 'existing', resource: 'publisher', ids: [3] }] }
 * const facts = first.lookups.map((lookup) => ({ ...lookup, found: [3] }))
 * planPatch(resources, 'book', { record, facts }, { publisherId: 3 })
 */
export function planLookups<O extends keyof WriteStates>(
  operation: O,
  model: Model,
  key: string,
  state: WriteStates[O],
  body?: unknown,
): LookupOutcome {
  const half = halfPlanFor[operation](model, key, state, body)
  return 'refusal' in half ? half : { lookups: half.lookups }
}
