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

/**
 * The outcome of a write where all that it names exists, and no other record is in its way: unique values are held by the current record
 * and what it owns, or not at all.
 */
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
  const record = 'record' in state ? recordsIn(model, key, state.record) : []
  const facts = first.lookups.map((lookup) => favourable(lookup, key, newId, record))
  return plans[operation](model, key, { ...state, facts }, body)
}

/** The answer that refuses nothing. A new record is not there yet. */
function favourable(lookup: Lookup, key: string, newId: Id | undefined, records: readonly Known[]): Fact {
  switch (lookup.lookup) {
    case 'existing':
      return { ...lookup, found: lookup.resource === key ? lookup.ids.filter((id) => id !== newId) : lookup.ids }
    case 'holders':
      return { ...lookup, found: lookup.values.map((values) => holderAmong(records, lookup.resource, values)) }
    case 'linked':
      return { ...lookup, found: [] }
    case 'needing':
      return { ...lookup, found: [] }
    case 'siblings':
      return { ...lookup, found: [] }
  }
}

/** A record of a resource, with the foreign key of its owner. */
interface Known {
  readonly resource: string
  readonly record: Readonly<Record<string, unknown>>
}

/** The record and all that it owns. */
function recordsIn(model: Model, key: string, record: Known['record']): readonly Known[] {
  const owns = model.resources.get(key)?.owns ?? []
  const below = owns.flatMap(({ name, target, inverse }) =>
    [record[name] ?? []]
      .flat()
      .flatMap((one) => recordsIn(model, target.key, { ...(one as Known['record']), [inverse.foreignKey]: record.id })),
  )
  return [{ resource: key, record }, ...below]
}

function holderAmong(records: readonly Known[], resource: string, values: Known['record']): Id | null {
  const isHolder = (one: Known) =>
    one.resource === resource && Object.entries(values).every(([name, value]) => one.record[name] === value)
  return (records.find(isHolder)?.record.id as Id | undefined) ?? null
}
