import type { NestedQuery, ReadingQuery } from './reading-query.ts'

/** What a request says of the records at one place of an answer. */
export interface Selection {
  /** The properties to show; undefined if all are. */
  fields: Set<string> | undefined
  readonly included: Set<string>
  readonly excluded: Set<string>
  /** What it says of an array. */
  nested: NestedQuery | undefined
  /** By the relation that leads to the place. */
  readonly below: Map<string, Selection>
}

/** Reads `fields`, `include` and `nested` of a query. */
export function selectionOf({ fields = [], include = [], nested = {} }: ReadingQuery): Selection {
  const top = emptySelection()
  for (const text of fields) {
    const names = text.split('.')
    const last = names.pop() ?? ''
    let place = top
    place.fields ??= new Set()
    for (const name of names) {
      place = placeBelow(place, name)
      place.fields ??= new Set()
    }
    place.fields.add(last)
  }
  for (const text of include) {
    const isExcluded = text.startsWith('-')
    const names = (isExcluded ? text.slice(1) : text).split('.')
    const last = names.pop() ?? ''
    const place = names.reduce(placeBelow, top)
    if (isExcluded) place.excluded.add(last)
    else place.included.add(last)
  }
  for (const [path, one] of Object.entries(nested)) path.split('.').reduce(placeBelow, top).nested = one
  return top
}

function placeBelow(place: Selection, name: string): Selection {
  const found = place.below.get(name) ?? emptySelection()
  place.below.set(name, found)
  return found
}

function emptySelection(): Selection {
  return { fields: undefined, included: new Set(), excluded: new Set(), nested: undefined, below: new Map() }
}
