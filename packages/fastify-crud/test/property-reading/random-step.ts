import { addressesOf, collectionsOf } from '../property/addresses.ts'
import { rowsOf } from '../property/reference-store.ts'
import { Tape } from '../property/tape.ts'
import { brokenQuery } from './broken-query.ts'
import type { Feature } from './features.ts'
import { mutatedQuery } from './mutated-query.ts'
import { oddQuery } from './odd-query.ts'
import { withSideIds } from './query-ids.ts'
import { randomQuery } from './random-query.ts'
import { randomShape } from './random-selection.ts'
import { readingResourceOf } from './reading-model.ts'
import type { ReadingStep } from './reading-step.ts'
import type { Seen } from './run-reading.ts'

/** The caller who asks, and what this caller sees. */
export interface Asking extends Seen {
  readonly caller: number | undefined
}

/** Something to ask, read off the numbers. */
export function randomStep(
  { caller, model, state }: Asking,
  numbers: readonly number[],
  features: ReadonlySet<Feature>,
): ReadingStep {
  const tape = new Tape(numbers)
  const all = [...model.records.resources.values()]
  // More often one of which there are many.
  const [largest] = all.toSorted((one, other) => rowsOf(state, other.key).size - rowsOf(state, one.key).size)
  const resource = tape.once(2) ? largest : tape.of(all)
  const found = resource === undefined ? [] : collectionsOf(model.records, state, resource)
  // Where no owner is seen, a list at the top.
  const collections = found.length > 0 ? found : all.flatMap((one) => collectionsOf(model.records, state, one))
  const place = tape.once(3) ? tape.of(collections) : collections[0]
  if (place === undefined) throw new Error('the model has no list')
  const { address } = place
  const reading = readingResourceOf(model, place.resource.key)
  const sight = { model, state, folding: 'simple' as const }
  const maker = { sight, tape }
  const kind = tape.upTo(24)
  if (kind >= 15 && features.has('filter') && features.has('sort')) {
    if (kind === 23) return { is: 'odd', address, caller, text: oddQuery(reading, tape) }
    if (kind < 19) return { is: 'broken', address, caller, ...brokenQuery(model, reading, tape, features) }
    return {
      is: 'odd',
      address,
      caller,
      text: mutatedQuery(withSideIds(model, reading, randomQuery(maker, reading, features)), reading, tape),
    }
  }
  if (features.has('include') && kind === 14) {
    const row = tape.of([...rowsOf(state, reading.key).values()])
    const one = row && tape.of(addressesOf(model.records, state, place.resource, row))
    const asked = randomShape(maker, reading, features)
    if (one !== undefined) return { is: 'record', address: one, caller, query: asked }
  }
  const query = randomQuery(maker, reading, features)
  if (kind < 12 || !features.has('cursor')) return { is: 'page', address, caller, query }
  const { offset: _, ...others } = query
  return { is: 'walk', address, caller, query: others, spoilt: tape.upTo(9999) }
}
