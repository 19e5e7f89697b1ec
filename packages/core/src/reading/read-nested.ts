import { shortened } from '../errors.ts'
import { isObject } from '../model/is-object.ts'
import { isToMany, type Relation, type Resource } from '../model/model.ts'
import { didYouMean } from '../model/suggest.ts'
import { EVERYTHING } from './condition.ts'
import { type ContentsDraft, isCarried, spotBehind, spotOf } from './contents.ts'
import { relationNamed, unknownName } from './operand.ts'
import { readFilter } from './read-filter.ts'
import { readSort } from './read-sort.ts'
import type { Scope } from './scope.ts'

const OPTIONS = ['limit', 'sort', 'filter'] as const

/** Reads which records nested arrays have, such as `{ books: { limit: 5, sort: ['-price'] } }`. Adds a message for each thing that is wrong. */
export function readNested(
  resource: Resource,
  nested: unknown,
  contents: ContentsDraft,
  scope: Scope,
  problems: string[],
): void {
  if (!isObject(nested)) {
    problems.push('nested: must be an object, such as {"books":{"limit":5}}')
    return
  }
  for (const [path, rows] of Object.entries(nested)) {
    if (rows === undefined) continue
    const place = `nested.${shortened(path)}`
    const found = arrayAt(resource, path, contents, scope)
    if (typeof found === 'string') problems.push(`${place}: ${found}`)
    else readRows(found.relation.target, rows, found.contents, place, scope, problems)
  }
}

/** The array at the end of a path, which must be in the answer. Returns a message if something is wrong. */
function arrayAt(
  resource: Resource,
  path: string,
  contents: ContentsDraft,
  scope: Scope,
): { readonly relation: Relation; readonly contents: ContentsDraft } | string {
  let spot = spotOf(resource, contents)
  let last: Relation | undefined
  for (const name of path.split('.')) {
    const { resource: at, contents: place, extent } = spot
    const relation = relationNamed(at, name, scope)
    if (relation === undefined) return unknownName(at, name, scope)
    const isLeftOut = place.values !== undefined || place.leftOut.has(relation) || !isCarried(relation, extent)
    if (isLeftOut && !place.related.has(relation))
      return `'${shortened(name)}' is not in the answer; add it by 'include'`
    spot = spotBehind(spot, relation)
    last = relation
  }
  if (last === undefined || !isToMany(last)) return 'is one record, and no array'
  return { relation: last, contents: spot.contents }
}

function readRows(
  target: Resource,
  rows: unknown,
  contents: ContentsDraft,
  place: string,
  scope: Scope,
  problems: string[],
): void {
  if (!isObject(rows)) {
    problems.push(`${place}: must be an object with 'limit', 'sort' or 'filter'`)
    return
  }
  for (const name of Object.keys(rows)) {
    if (OPTIONS.some((option) => option === name)) continue
    problems.push(`${place}: '${shortened(name)}' is none of 'limit', 'sort', 'filter'${didYouMean(name, OPTIONS)}`)
  }
  const { limit, sort, filter } = rows as { readonly [Name in (typeof OPTIONS)[number]]?: unknown }
  const found: string[] = []
  const { maxNested } = scope.limits
  const isLimit = Number.isSafeInteger(limit) && Number(limit) >= 1 && Number(limit) <= maxNested
  if (limit !== undefined && !isLimit) found.push(`limit: must be an integer from 1 to ${maxNested}`)
  contents.rows = {
    limit: isLimit ? Number(limit) : undefined,
    sort: sort === undefined ? [] : readSort(target, sort, scope, found),
    condition: filter === undefined ? EVERYTHING : readFilter(target, filter, scope, found),
  }
  problems.push(...found.map((problem) => `${place}.${problem}`))
}
