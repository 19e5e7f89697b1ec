import { type ParameterProblem, shortened } from '../../errors.ts'
import { didYouMean } from '../../model/check/names.ts'
import { idFormBehind } from '../../model/ids/short-id.ts'
import { isObject } from '../../model/is-object.ts'
import { isToMany, type Relation, type Resource } from '../../model/model.ts'
import { EVERYTHING } from '../condition.ts'
import { relationNamed, unknownName } from '../operand.ts'
import { type LocatedCost, MOST_PROBLEMS, type Scope } from '../scope.ts'
import { type ContentsDraft, isCarried, partBehind, topPart } from '../select/contents.ts'
import { pathProblem, queryProblem } from './query-problem.ts'
import { readFilter } from './read-filter.ts'
import { readSort } from './read-sort.ts'

const OPTIONS = ['limit', 'sort', 'filter'] as const

/** Reads which records nested arrays have, such as `{ books: { limit: 5, sort: ['-price'] } }`. Adds a problem for each
 * thing that is wrong. */
export function readNested(
  resource: Resource,
  nested: unknown,
  contents: ContentsDraft,
  scope: Scope,
  problems: ParameterProblem[],
): void {
  if (!isObject(nested)) {
    const message = 'nested: must be an object, such as {"books":{"limit":5}}'
    problems.push(queryProblem('nested', message, 'type', { type: 'object' }))
    return
  }
  for (const [path, rows] of Object.entries(nested)) {
    if (rows === undefined) continue
    if (problems.length >= MOST_PROBLEMS) return
    const found = arrayAt(resource, path, contents, scope)
    if (typeof found !== 'string') {
      const ids = idFormBehind(found.relation)
      readRows(found.relation.target, rows, found.contents, path, { ...scope, ids }, problems)
    } else problems.push(pathProblem(parameterOf(path), `${placeOf(path)}: ${found}`, path))
  }
}

function placeOf(path: string): string {
  return `nested.${shortened(path)}`
}

function parameterOf(path: string): string {
  return `nested[${shortened(path)}]`
}

/** The array at the end of a path, which must be in the answer. Returns a message if something is wrong. */
function arrayAt(
  resource: Resource,
  path: string,
  contents: ContentsDraft,
  scope: Scope,
): { readonly relation: Relation; readonly contents: ContentsDraft } | string {
  let part = topPart(resource, contents)
  let last: Relation | undefined
  for (const name of path.split('.')) {
    const { resource: at, contents: place, extent } = part
    const relation = relationNamed(at, name, scope)
    if (relation === undefined) return unknownName(at, name, scope)
    const isLeftOut = place.values !== undefined || place.leftOut.has(relation) || !isCarried(relation, extent)
    if (isLeftOut && !place.related.has(relation))
      return `'${shortened(name)}' is not in the answer; add it by 'include'`
    part = partBehind(part, relation)
    last = relation
  }
  if (last === undefined || !isToMany(last)) return 'is one record, not an array'
  return { relation: last, contents: part.contents }
}

function readRows(
  target: Resource,
  rows: unknown,
  contents: ContentsDraft,
  path: string,
  scope: Scope,
  problems: ParameterProblem[],
): void {
  const place = placeOf(path)
  const parameter = parameterOf(path)
  if (!isObject(rows)) {
    const message = `${place}: must be an object with 'limit', 'sort' or 'filter'`
    problems.push(queryProblem(parameter, message, 'type', { type: 'object' }))
    return
  }
  for (const name of Object.keys(rows)) {
    if (OPTIONS.some((option) => option === name)) continue
    const message = `${place}: '${shortened(name)}' is not an option; use 'limit', 'sort' or 'filter'${didYouMean(name, OPTIONS)}`
    const params = { additionalProperty: shortened(name) }
    problems.push(queryProblem(`${parameter}[${shortened(name)}]`, message, 'additionalProperties', params))
  }
  const { limit, sort, filter } = rows as { readonly [Name in (typeof OPTIONS)[number]]?: unknown }
  const found: ParameterProblem[] = []
  const costs: LocatedCost[] = []
  const inside = { ...scope, costs }
  const { maxNested } = scope.limits
  const isLimit = Number.isSafeInteger(limit) && Number(limit) >= 1 && Number(limit) <= maxNested
  if (limit !== undefined && !isLimit) {
    const message = `limit: must be an integer from 1 to ${maxNested}`
    found.push(queryProblem('limit', message, 'range', { minimum: 1, maximum: maxNested }))
  }
  contents.rows = {
    limit: isLimit ? Number(limit) : undefined,
    sort: sort === undefined ? [] : readSort(target, sort, inside, found),
    condition: filter === undefined ? EVERYTHING : readFilter(target, filter, inside, found),
  }
  for (const { parameter: option, location, cost } of costs) {
    scope.costs.push({ parameter: `${parameter}[${option}]`, location: `${place}.${location}`, cost })
  }
  for (const { parameter: option, message, ...fault } of found) {
    problems.push({ parameter: `${parameter}[${option}]`, message: `${place}.${message}`, ...fault })
  }
}
