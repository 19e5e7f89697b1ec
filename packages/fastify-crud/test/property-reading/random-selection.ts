import type { Tape } from '../property/tape.ts'
import { type FilterMaker, randomFilter } from './random-filter.ts'
import { randomSort } from './random-sort.ts'
import { type ReadingResource, type Relation, readingResourceOf } from './reading-model.ts'
import type { NestedQuery, ReadingQuery } from './reading-query.ts'

const DEEPEST = 3

/** A place of an answer: the path of relations that leads there. */
interface Place {
  readonly path: string
  readonly resource: ReadingResource
  /** Its records carry their default relations. */
  readonly isWhole: boolean
}

/** What `include` may say: relations to add, with those above them, and default ones to leave out. */
export function randomInclude(
  maker: FilterMaker,
  resource: ReadingResource,
  hasNested: boolean,
): Partial<ReadingQuery> {
  const { tape } = maker
  const include = new Set<string>()
  const nested: Record<string, NestedQuery> = {}
  for (let count = 1 + tape.upTo(3); count > 0; count -= 1) {
    let place: Place = { path: '', resource, isWhole: true }
    for (let depth = 1 + tape.upTo(DEEPEST); depth > 0; depth -= 1) {
      const relation = tape.of(place.resource.relations)
      if (relation === undefined) break
      const isCarried = place.isWhole && relation.isDefault
      const next = placeBelow(maker, place, relation)
      if (isCarried && tape.once(4)) {
        // Nothing below what is left out is asked for.
        if (!mentions(include, next.path)) include.add(`-${next.path}`)
        break
      }
      if (include.has(`-${next.path}`)) break
      if (!isCarried) include.add(next.path)
      if (!isCarried && relation.isMany && hasNested && tape.once(2))
        nested[next.path] = randomNested(maker, next.resource)
      place = next
    }
  }
  return { include: [...include], ...(Object.keys(nested).length > 0 && { nested }) }
}

function mentions(include: ReadonlySet<string>, path: string): boolean {
  return [...include].some((one) => one.replace(/^-/, '') === path || one.replace(/^-/, '').startsWith(`${path}.`))
}

function randomNested(maker: FilterMaker, resource: ReadingResource): NestedQuery {
  const { tape } = maker
  return {
    ...(tape.once(2) && { limit: 1 + tape.upTo(4) }),
    ...(tape.once(2) && { sort: randomSort(maker, resource) }),
    ...(tape.once(2) && { filter: randomFilter(maker, resource, 3) }),
  }
}

/** What `fields` may say: values of the record, and of records that it carries. */
export function randomFields(maker: FilterMaker, resource: ReadingResource): string[] {
  const { tape } = maker
  const found = new Set<string>()
  for (let count = 1 + tape.upTo(4); count > 0; count -= 1) {
    let place: Place = { path: '', resource, isWhole: true }
    const counted = tape.once(6) ? tape.of(resource.relations.filter(({ isMany }) => isMany)) : undefined
    if (counted !== undefined) {
      found.add(`count(${counted.name})`)
      continue
    }
    for (let depth = tape.of([0, 0, 1, 2]) ?? 0; depth > 0; depth -= 1) {
      const carried = place.isWhole ? place.resource.relations.filter(({ isDefault }) => isDefault) : []
      const relation = tape.of(carried)
      if (relation === undefined) break
      place = placeBelow(maker, place, relation)
    }
    const name = fieldAt(tape, place)
    found.add(place.path === '' ? name : `${place.path}.${name}`)
  }
  return [...found]
}

function fieldAt(tape: Tape, { resource: { fields, foreignKeys }, isWhole }: Place): string {
  return tape.of([...fields.map(({ name }) => name), ...(isWhole ? foreignKeys : [])]) ?? 'id'
}

function placeBelow({ sight }: FilterMaker, { path }: Place, { name, target, isOwned }: Relation): Place {
  const resource = readingResourceOf(sight.model, target)
  return { path: path === '' ? name : `${path}.${name}`, resource, isWhole: isOwned }
}
