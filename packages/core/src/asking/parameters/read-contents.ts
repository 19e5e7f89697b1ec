import type { ParameterProblem } from '../../errors.ts'
import { isToMany, type Relation, type Resource } from '../../model/model.ts'
import type { Scope } from '../scope.ts'
import { type ContentsDraft, type Extent, emptyContents, extentBehind, isCarried, pathTo } from '../select/contents.ts'
import { costOfRelated } from './query-cost.ts'
import { queryProblem } from './query-problem.ts'
import { readFields } from './read-fields.ts'
import { readInclude } from './read-include.ts'
import { readNested } from './read-nested.ts'

/** What a client says of the contents of an answer, unread. */
export interface ContentsRequest {
  /** What each record has, such as `['title', 'publisher.name', 'count(tags)']`. */
  readonly fields?: unknown
  /** Relations to add, or with `-` to leave out, such as `['books.tags', '-chapters']`. */
  readonly include?: unknown
  /** Which records nested arrays have, by the paths to them. */
  readonly nested?: unknown
}

/** Reads what a client says of the contents of an answer. Adds a problem for each thing that is wrong. Undefined if the client says nothing. */
export function readContents(
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
 * Bounds the arrays that a query adds to an answer with so many records. The bounds along a path are multiplied: there may not be too
 * many records in all. Returns a problem for each path with too many. `parameter`: the one that adds them.
 */
export function boundArrays(
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
