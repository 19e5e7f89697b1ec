import type { Refusal } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Lookup } from './lookup.ts'
import { type CreateState, prepareCreate } from './plan-create.ts'
import { type DeleteState, prepareDelete } from './plan-delete.ts'
import { prepareUpdate, type UpdateState } from './plan-update.ts'
import type { Prepared } from './prepared.ts'

/** What each operation that writes is told of the current state. */
export interface WriteStates {
  readonly create: CreateState
  readonly replace: UpdateState
  readonly patch: UpdateState
  readonly delete: DeleteState
}

/** What has to be looked up; or why the write is refused, whatever the answers are. */
export type LookupOutcome = { readonly lookups: readonly Lookup[] } | { readonly refusal: Refusal }

const prepareFor: {
  readonly [O in keyof WriteStates]: (model: Model, key: string, state: WriteStates[O], body: unknown) => Prepared
} = {
  create: prepareCreate,
  replace: (...write) => prepareUpdate('replace', ...write),
  patch: (...write) => prepareUpdate('patch', ...write),
  delete: prepareDelete,
}

/**
 * The first step of a write: says what has to be looked up before it can be planned. The second step is `planCreate`,
 * `planReplace`, `planPatch` or `planDelete`, with the same arguments, and with the answers as `facts` in the state.
 *
 * Goes in: the operation, then what the plan function takes. Comes out: the lookups, none where the write concerns no other
 * record; or the refusal, where the write is refused whatever the answers are.
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
  const prepared = prepareFor[operation](model, key, state, body)
  return 'refusal' in prepared ? prepared : { lookups: prepared.lookups }
}
