import type { Tape } from '../property/tape.ts'
import type { Feature } from './features.ts'
import { type FilterMaker, randomFilter, randomToMany } from './random-filter.ts'
import { randomSort } from './random-sort.ts'
import { type ReadingResource, readingResourceOf } from './reading-model.ts'
import type { NestedQuery, ReadingQuery } from './reading-query.ts'
import { selectionOf } from './selection.ts'
import { placesShown, type ShownPlace } from './shown-places.ts'

/** How many relations away what a request adds may be. */
const DEEPEST = 3

/** What a query says of the contents of records: values, relations to add or to leave out, and bounds of arrays. */
export function randomShape(
  maker: FilterMaker,
  resource: ReadingResource,
  features: ReadonlySet<Feature>,
): ReadingQuery {
  const { sight, tape } = maker
  const fields = features.has('fields') && tape.once(3) ? randomFields(maker, resource) : []
  const added = features.has('include') && tape.once(3) ? randomInclude(maker, resource) : []
  const shown = (include: readonly string[]): readonly ShownPlace[] => {
    const said = { ...(fields.length > 0 && { fields }), include }
    return placesShown(sight.model, resource, selectionOf(sight.model, resource, said), DEEPEST)
  }
  const carried = features.has('include') && tape.once(5) ? shown(added).filter(({ isAsked }) => !isAsked) : []
  const left = tape.some(carried, 2).map(({ path }) => path)
  const include = [...added, ...without(left).map((path) => `-${path}`)]
  const arrays = features.has('nested') && tape.once(2) ? shown(include).filter(({ relation }) => relation.isMany) : []
  const nested = tape
    .some(arrays, 2)
    .map(({ path, resource: target }): [string, NestedQuery] => [path, randomNested(maker, target)])
  return {
    ...(fields.length > 0 && { fields }),
    ...(include.length > 0 && { include }),
    ...(nested.length > 0 && { nested: Object.fromEntries(nested) }),
  }
}

/** Nothing below what is left out is left out once more. */
function without(paths: readonly string[]): string[] {
  return paths.filter((path) => !paths.some((other) => path.startsWith(`${other}.`)))
}

/** Relations to add, or to name although a record carries them. */
function randomInclude(maker: FilterMaker, resource: ReadingResource): string[] {
  const { tape } = maker
  const paths = Array.from({ length: 1 + tape.upTo(3) }, () => randomRelations(maker, resource, 1 + tape.upTo(DEEPEST)))
  return [...new Set(paths.map(({ path }) => path))].filter((path) => path !== '')
}

function randomNested(maker: FilterMaker, resource: ReadingResource): NestedQuery {
  const { tape } = maker
  return {
    ...(tape.once(2) && { limit: tape.of([1, 2, 3, 5, 100]) ?? 1 }),
    ...(tape.once(2) && { sort: randomSort(maker, resource) }),
    ...(tape.once(2) && { filter: randomFilter(maker, resource, 3) }),
  }
}

/** Values of the record and of related ones, whole related records, and numbers of them. */
function randomFields(maker: FilterMaker, resource: ReadingResource): string[] {
  const { tape } = maker
  const found = new Set<string>()
  for (let count = 1 + tape.upTo(4); count > 0; count -= 1) {
    const counted = tape.once(6) ? randomToMany(maker, resource) : undefined
    if (counted !== undefined) {
      found.add(`count(${counted.text})`)
      continue
    }
    const { path, resource: end } = randomRelations(maker, resource, tape.of([0, 0, 1, 2, DEEPEST]) ?? 0)
    if (path !== '' && tape.once(5)) found.add(path)
    else found.add(path === '' ? fieldAt(tape, end) : `${path}.${fieldAt(tape, end)}`)
  }
  return [...found]
}

/** A path of so many relations, or fewer where there are no more. */
function randomRelations(
  { sight, tape }: FilterMaker,
  start: ReadingResource,
  length: number,
): { readonly path: string; readonly resource: ReadingResource } {
  const names: string[] = []
  let resource = start
  while (names.length < length) {
    const relation = tape.of(resource.relations)
    if (relation === undefined) break
    names.push(relation.name)
    resource = readingResourceOf(sight.model, relation.target)
  }
  return { path: names.join('.'), resource }
}

function fieldAt(tape: Tape, { fields, foreignKeys }: ReadingResource): string {
  return tape.of([...fields.map(({ name }) => name), ...foreignKeys, 'id']) ?? 'id'
}
