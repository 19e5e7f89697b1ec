import { type ReadingModel, type ReadingResource, readingResourceOf, relationOf } from './reading-model.ts'
import type { NestedQuery, ReadingQuery } from './reading-query.ts'

/** What a request says of the records at one place of an answer. */
export interface Selection {
  /** The values to show; undefined if all are. */
  fields: Set<string> | undefined
  readonly excluded: Set<string>
  /** What it says of an array. */
  nested: NestedQuery | undefined
  /** By the relation that leads to the place, which is shown. */
  readonly below: Map<string, Selection>
}

/** Reads `fields`, `include` and `nested` of a query. A relation's name in `fields` stands for what it shows otherwise. */
export function selectionOf(
  model: ReadingModel,
  start: ReadingResource,
  { fields = [], include = [], nested = {} }: ReadingQuery,
): Selection {
  const top = emptySelection()
  for (const text of fields) {
    const names = text.startsWith('count(') ? [text] : text.split('.')
    const last = names.pop() ?? ''
    let place = top
    let resource: ReadingResource | undefined = start
    place.fields ??= new Set()
    for (const name of names) {
      place = placeBelow(place, name)
      place.fields ??= new Set()
      resource = targetOf(model, resource, name)
    }
    if (targetOf(model, resource, last) === undefined) place.fields.add(last)
    else placeBelow(place, last)
  }
  for (const text of include) {
    const isExcluded = text.startsWith('-')
    const names = (isExcluded ? text.slice(1) : text).split('.')
    const last = names.pop() ?? ''
    const place = names.reduce(placeBelow, top)
    if (isExcluded) place.excluded.add(last)
    else placeBelow(place, last)
  }
  for (const [path, one] of Object.entries(nested)) path.split('.').reduce(placeBelow, top).nested = one
  return top
}

function targetOf(
  model: ReadingModel,
  resource: ReadingResource | undefined,
  name: string,
): ReadingResource | undefined {
  const relation = resource && relationOf(resource, name)
  return relation && readingResourceOf(model, relation.target)
}

function placeBelow(place: Selection, name: string): Selection {
  const found = place.below.get(name) ?? emptySelection()
  place.below.set(name, found)
  return found
}

function emptySelection(): Selection {
  return { fields: undefined, excluded: new Set(), nested: undefined, below: new Map() }
}
