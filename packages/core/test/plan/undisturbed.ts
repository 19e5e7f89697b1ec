import {
  type Fact,
  type Id,
  type Lookup,
  type Model,
  type Outcome,
  planCreate,
  planDelete,
  planLookups,
  planPatch,
  planReplace,
  type WriteStates,
} from '@fastify-crud/core'

const plans: {
  readonly [O in keyof WriteStates]: (model: Model, key: string, state: WriteStates[O], body: unknown) => Outcome
} = { create: planCreate, replace: planReplace, patch: planPatch, delete: planDelete }

/** The outcome of a write where all that it names exists, and no other record is in its way. */
export function undisturbed<O extends keyof WriteStates>(
  operation: O,
  model: Model,
  key: string,
  state: WriteStates[O],
  body?: unknown,
): Outcome {
  const first = planLookups(operation, model, key, state, body)
  if ('refusal' in first) return first
  const newId = 'id' in state ? state.id : undefined
  const facts = first.lookups.map((lookup) => favourable(lookup, key, newId))
  return plans[operation](model, key, { ...state, facts }, body)
}

/** The answer that refuses nothing. A new record is not there yet. */
function favourable(lookup: Lookup, key: string, newId: Id | undefined): Fact {
  switch (lookup.lookup) {
    case 'existing':
      return { ...lookup, found: lookup.resource === key ? lookup.ids.filter((id) => id !== newId) : lookup.ids }
    case 'holders':
      return { ...lookup, found: lookup.values.map(() => null) }
    case 'linked':
      return { ...lookup, found: [] }
    case 'needing':
      return { ...lookup, found: [] }
  }
}
