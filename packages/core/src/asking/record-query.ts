import type { ParameterProblem } from '../errors.ts'
import type { Resource } from '../model/model.ts'
import { comparesByType, foldsCaseIn } from './condition.ts'
import { costOf } from './parameters/query-cost.ts'
import { boundArrays, type ContentsRequest, readContents } from './parameters/read-contents.ts'
import type { Scope } from './scope.ts'
import { type Contents, contentsShape, nestedRows } from './select/contents.ts'
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
