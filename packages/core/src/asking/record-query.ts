import { type ParameterProblem, shortened, withArticle } from '../errors.ts'
import { MOST_RELATIONS } from '../model/collection-path.ts'
import { isToMany, type Relation, type Resource } from '../model/model.ts'
import { comparesByType, foldsCaseIn } from './condition.ts'
import { memberNamed, relationNamed, unknownName } from './operand.ts'
import { costOf, costOfNames, costOfRelated, costOfShownCount } from './parameters/query-cost.ts'
import { pathProblem, queryProblem, readNames } from './parameters/query-problem.ts'
import { readNested } from './parameters/read-nested.ts'
import { FUNCTION, readCounted } from './parameters/read-sort.ts'
import { MOST_ADDED_LEVELS, MOST_PROBLEMS, type Scope, tooDeep } from './scope.ts'
import {
  type Contents,
  type ContentsDraft,
  contentsShape,
  type Extent,
  emptyContents,
  extentBehind,
  isCarried,
  nestedRows,
  partBehind,
  pathTo,
  topPart,
} from './select/contents.ts'
import { isFolding, sortsByType } from './sort-key.ts'

/** What the client of a record asks for, unread. */
export type RecordRequest = ContentsRequest

/** What an answer is to have of a record, checked against the model. */
export interface RecordQuery {
  /** Queries of one path with equal shapes differ only in values. */
  readonly shape: string
  /** Undefined: the whole record. */
  readonly contents: Contents | undefined
  /** Resources whose records the contents do not show. */
  readonly hidden: ReadonlySet<Resource>
  /** Whether the case of letters does not count somewhere. */
  readonly foldsCase: boolean
  /** Whether somewhere values are compared in a way that depends on the types of their columns: points in time,
   * elements of arrays. */
  readonly dependsOnTypes: boolean
  /** See `parameters/query-cost.ts`. */
  readonly cost: number
  /** A problem for each path along which there could be more records than an answer may have. */
  readonly excess: readonly ParameterProblem[]
}

/** The whole record. */
export const PLAIN_RECORD: RecordQuery = Object.freeze({
  shape: '',
  contents: undefined,
  hidden: new Set<Resource>(),
  foldsCase: false,
  dependsOnTypes: false,
  cost: 0,
  excess: [],
})

/** Reads what a client asks of each of so many records. Adds a problem for each thing that is wrong. */
export function readRecordQuery(
  resource: Resource,
  request: RecordRequest,
  mostRecords: number,
  scope: Scope,
  problems: ParameterProblem[],
): RecordQuery {
  const contents = readContents(resource, request, scope, problems)
  if (contents === undefined) return PLAIN_RECORD
  const { hidden, costs } = scope
  const excess = boundArrays(contents, mostRecords, { scope, parameter: addedBy(request) })
  const arrays = [...nestedRows(contents).values()]
  const foldsCase = arrays.some(({ condition, sort }) => foldsCaseIn(condition) || sort.some(isFolding))
  const dependsOnTypes = arrays.some(({ condition, sort }) => comparesByType(condition) || sort.some(sortsByType))
  const cost = costOf(costs)
  return { shape: contentsShape(contents, hidden), contents, hidden, foldsCase, dependsOnTypes, cost, excess }
}

/** The parameter to name where related records are too many. */
function addedBy({ fields, include }: RecordRequest): string {
  if (include !== undefined) return 'include'
  return fields === undefined ? 'nested' : 'fields'
}

/** What a client says of the contents of an answer, unread. */
interface ContentsRequest {
  /** What each record has, such as `['title', 'publisher.name', 'count(tags)']`. */
  readonly fields?: unknown
  /** Relations to add, or with `-` to leave out, such as `['books.tags', '-chapters']`. */
  readonly include?: unknown
  /** Which records nested arrays have, by the paths to them. */
  readonly nested?: unknown
}

/** Reads what a client says of the contents of an answer. Adds a problem for each thing that is wrong. Undefined if the
 * client says nothing. */
function readContents(
  resource: Resource,
  { fields, include, nested }: ContentsRequest,
  scope: Scope,
  problems: ParameterProblem[],
): ContentsDraft | undefined {
  if (fields === undefined && include === undefined && nested === undefined) return undefined
  const contents = emptyContents()
  if (fields !== undefined) readFields(resource, fields, contents, scope, problems)
  if (include !== undefined) readInclude(resource, include, contents, scope, problems)
  if (nested !== undefined) readNested(resource, nested, contents, scope, problems)
  return contents
}

/** The most records of an array that a query adds, unless it says. */
const MOST_ADDED = 20

/**
 * Bounds the arrays that a query adds to an answer with so many records. The bounds along a path are multiplied: there
 * may not be too many records in all. Returns a problem for each path with too many. `parameter`: the one that adds
 * them.
 */
function boundArrays(
  { related }: ContentsDraft,
  mostRecords: number,
  asked: { readonly scope: Scope; readonly parameter: string },
  extent: Extent = 'whole',
  path = '',
): readonly ParameterProblem[] {
  const { limits, costs } = asked.scope
  const { maxRows, maxNested } = limits
  const excess: ParameterProblem[] = []
  for (const [relation, contents] of related) {
    const isAdded = !isCarried(relation, extent)
    const isBounded = isAdded && isToMany(relation)
    if (isBounded) contents.rows = { ...contents.rows, limit: contents.rows.limit ?? Math.min(MOST_ADDED, maxNested) }
    const most = mostRecords * (contents.rows.limit ?? 1)
    const to = pathTo(path, relation)
    if (isAdded)
      costs.push({ parameter: asked.parameter, location: `${asked.parameter}.${to}`, cost: costOfRelated(most) })
    if (most > maxRows) {
      const message = `include: '${to}' could have ${most} records, more than ${maxRows}; ask for fewer by ${lessOf(to, relation)}`
      excess.push(queryProblem('include', message, 'maxRows', { path: to, limit: maxRows }))
    } else excess.push(...boundArrays(contents, most, asked, extentBehind(relation), to))
  }
  return excess
}

function lessOf(path: string, relation: Relation): string {
  return isToMany(relation) ? `nested[${path}][limit] or limit` : 'limit'
}

/** Reads relations such as `books.tags`, and with `-` those to leave out. Adds a problem for each thing that is
 * wrong. */
function readInclude(
  resource: Resource,
  include: unknown,
  contents: ContentsDraft,
  scope: Scope,
  problems: ParameterProblem[],
): void {
  const names = readNames('include', include, problems)
  // What is left out comes last: it must not be asked for elsewhere.
  for (const isLeftOut of [false, true]) {
    for (const name of names.filter((one) => one.startsWith('-') === isLeftOut)) {
      if (problems.length >= MOST_PROBLEMS) return
      const path = isLeftOut ? name.slice(1) : name
      const problem = path === '' ? 'names no relation' : readRelation(resource, path, isLeftOut, contents, scope)
      if (problem !== undefined)
        problems.push(pathProblem('include', `include: '${shortened(name)}': ${problem}`, path))
    }
  }
}

/** Returns a message if something is wrong. */
function readRelation(
  resource: Resource,
  path: string,
  isLeftOut: boolean,
  contents: ContentsDraft,
  scope: Scope,
): string | undefined {
  const names = path.split('.')
  let part = topPart(resource, contents)
  for (const [index, name] of names.entries()) {
    const { resource: at, contents: draft, extent } = part
    const relation = relationNamed(at, name, scope)
    if (relation === undefined)
      return memberNamed(at, name, scope)
        ? `'${name}' is a field; fields are named in 'fields'`
        : unknownName(at, name, scope)
    if (index === MOST_ADDED_LEVELS) return tooDeep(name)
    if (isLeftOut && index === names.length - 1) {
      if (!isCarried(relation, extent)) return `${withArticle(at.key)} does not contain it by default here`
      if (draft.related.has(relation)) return 'the query asks for it elsewhere'
      draft.leftOut.add(relation)
      return undefined
    }
    if (draft.leftOut.has(relation)) return 'the query leaves it out elsewhere'
    part = partBehind(part, relation)
  }
  return undefined
}

/** Reads names such as `title`, `publisher.name`, `chapters` and `count(tags)`. Adds a problem for each thing that is
 * wrong. */
function readFields(
  resource: Resource,
  fields: unknown,
  contents: ContentsDraft,
  scope: Scope,
  problems: ParameterProblem[],
): void {
  contents.values ??= new Set()
  const names = readNames('fields', fields, problems)
  scope.costs.push({ parameter: 'fields', location: `fields (${names.length} names)`, cost: costOfNames(names) })
  for (const name of names) {
    if (problems.length >= MOST_PROBLEMS) break
    const problem = readField(resource, name, contents, scope)
    if (problem !== undefined) problems.push(pathProblem('fields', `fields: '${shortened(name)}': ${problem}`, name))
  }
}

/** Returns a message if something is wrong. */
function readField(resource: Resource, text: string, contents: ContentsDraft, scope: Scope): string | undefined {
  const [, word, argument = ''] = FUNCTION.exec(text) ?? []
  if (word !== undefined) {
    if (word !== 'count') return `'${word}' is not count(…)`
    const counted = readCounted(resource, argument, scope)
    if (typeof counted === 'string') return counted
    scope.costs.push({ parameter: 'fields', location: `fields.${shortened(text)}`, cost: costOfShownCount() })
    contents.counts.set(text, counted)
    return undefined
  }
  const names = text.split('.')
  if (names.length > MOST_RELATIONS + 1) return `leads through more than ${MOST_RELATIONS} relations`
  let part = topPart(resource, contents)
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1
    const { resource: at, contents: draft, extent } = part
    const member = memberNamed(at, name, scope)
    if (isLast && ((name === 'id' && at.hasId) || member !== undefined)) {
      draft.values ??= new Set()
      if (member !== undefined) draft.values.add(member)
      return undefined
    }
    const relation = relationNamed(at, name, scope)
    if (relation === undefined)
      return member === undefined ? unknownName(at, name, scope) : `'${name}' is not a relation`
    if (index >= MOST_ADDED_LEVELS && !isCarried(relation, extent)) return tooDeep(name)
    draft.values ??= new Set()
    part = partBehind(part, relation)
  }
  return undefined
}
