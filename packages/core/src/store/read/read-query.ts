import type { Condition } from '../../asking/condition.ts'
import { type GroupQuery, type GroupRequest, readGroupQuery } from '../../asking/groups/group-query.ts'
import { type ListQuery, type ListRequest, readListQuery } from '../../asking/list-query.ts'
import { problemsOfCost } from '../../asking/parameters/query-cost.ts'
import { type RecordQuery, type RecordRequest, readRecordQuery } from '../../asking/record-query.ts'
import type { ReadingLimits, Scope } from '../../asking/scope.ts'
import { COUNT_PROBLEM, type Count, isCount } from '../../asking/scope.ts'
import type { Contents } from '../../asking/select/contents.ts'
import type { SortKey } from '../../asking/sort-key.ts'
import { CrudError, invalid, type ParameterProblem, type Problem, tooManyRows } from '../../errors.ts'
import type { Address } from '../../model/collection-path.ts'
import { limitsOf } from '../../model/descriptors/default-limits.ts'
import { idFormIn } from '../../model/ids/short-id.ts'
import type { Resource } from '../../model/model.ts'
import { resourcesInRecord } from '../../model/resource-tree.ts'
import { type InvisibleResources, NOTHING_HIDDEN } from '../../planning/body/draft.ts'
import type { QueryContext } from '../../sql/context.ts'
import { computesDecimals } from '../../sql/dialect/sqlite/sqlite-functions.ts'

/** Reads what clients ask for. */
interface QueryReader {
  /** @throws CrudError with `CRUD_ERR_INVALID` for what the model does not have, and `CRUD_ERR_TOO_LARGE` for too many
   * records. */
  ofRecord(at: Address, request: RecordRequest, hidden?: InvisibleResources): RecordQuery
  /** @throws CrudError as {@link ofRecord} does. */
  ofList(at: Address, request: ListRequest, hidden?: InvisibleResources): ListQuery
  /** @throws CrudError with `CRUD_ERR_INVALID` for what the model does not have. */
  ofGroups(at: Address, request: GroupRequest, hidden?: InvisibleResources): GroupQuery
  /** Everything that is wrong with a query. */
  problems(at: Address, request: ReadRequest, hidden?: InvisibleResources): readonly Problem[]
  /** The keys of the resources that a query names besides its own, or that the words for what is wrong with it could
   * name. */
  namedBy(at: Address, request: ReadRequest): readonly string[]
}

/** What a client asks of a record, a list or groups. */
export type ReadRequest = RecordRequest | ListRequest | GroupRequest

export function queryReader(
  { db, fieldRights, reach }: QueryContext,
  given: Partial<ReadingLimits> | undefined,
): QueryReader {
  const limits = {
    ...limitsOf(['maxFilters', 'maxFilterDepth', 'maxCost', 'maxNested', 'maxRows', 'groupRows'], given),
    count: countOf(given?.count),
  }
  const hasFunctions = computesDecimals(db)
  const scopeOf = ({ path }: Address, request: ReadRequest, hidden: InvisibleResources = NOTHING_HIDDEN): Scope => ({
    hidden,
    ...('isInBody' in request && { isInBody: true }),
    fieldRights,
    ids: idFormIn(path),
    limits,
    costs: [],
    hasFunctions,
    shows: path.kept?.shows,
    // What an index finds knows nothing of the listed row. In lists of all tenants, an id says nothing without its
    // tenant; of deleted records, their moment tells which others are there.
    findsParts: reach !== 'each tenant' && !path.kept,
  })

  const readRecord = ({ path }: Address, request: RecordRequest, scope: Scope): Read<RecordQuery> =>
    withProblems(scope, (problems) => readRecordQuery(path.resource, request, 1, scope, problems))
  const readList = (at: Address, request: ListRequest, scope: Scope): Read<ListQuery> =>
    withProblems(scope, (problems) => readListQuery(at, request, scope, problems))
  const readGroups = ({ path }: Address, request: GroupRequest, scope: Scope): Read<GroupQuery> =>
    withProblems(scope, (problems) => readGroupQuery(path.resource, request, scope, problems))
  const read = (at: Address, request: ReadRequest, scope: Scope): Read<RecordQuery | GroupQuery> => {
    if ('values' in request) return readGroups(at, request, scope)
    return 'limit' in request ? readList(at, request, scope) : readRecord(at, request, scope)
  }
  return {
    ofRecord: (at, request, hidden) => queryIn(readRecord(at, request, scopeOf(at, request, hidden))),
    ofList: (at, request, hidden) => queryIn(readList(at, request, scopeOf(at, request, hidden))),
    ofGroups(at, request, hidden) {
      const { query, problems } = readGroups(at, request, scopeOf(at, request, hidden))
      if (problems.length > 0) throw new CrudError(invalid(problems))
      return query
    },
    problems: (at, request, hidden) => read(at, request, scopeOf(at, request, hidden)).problems,
    namedBy(at, request) {
      const named = new Set<Resource>()
      const { query } = read(at, request, { ...scopeOf(at, request), named })
      return [...new Set([...named, ...resourcesIn(query)])].map(({ key }) => key)
    },
  }
}

function countOf(given: unknown = 'exact'): Count {
  if (isCount(given)) return given
  throw new TypeError(`limits.count: ${COUNT_PROBLEM}`)
}

/** A query, which is complete only if there is no problem. */
interface Read<Query> {
  readonly query: Query
  readonly problems: readonly Problem[]
}

function withProblems<Query>({ costs, limits }: Scope, read: (problems: ParameterProblem[]) => Query): Read<Query> {
  const problems: ParameterProblem[] = []
  const query = read(problems)
  if (costs.length > 0) problems.push(...problemsOfCost(costs, limits.maxCost))
  return { query, problems }
}

function queryIn<Query extends RecordQuery>({ query, problems }: Read<Query>): Query {
  if (problems.length > 0) throw new CrudError(invalid(problems))
  if (query.excess.length > 0) throw new CrudError(tooManyRows(query.excess))
  return query
}

/** The resources at the far ends of all relations that a query names, and of those that come with them. */
function resourcesIn(
  query: (RecordQuery & Partial<Pick<ListQuery, 'condition' | 'sort'>>) | GroupQuery,
): ReadonlySet<Resource> {
  const found = new Set<Resource>()
  if ('keys' in query) {
    for (const { relations } of [...query.keys, ...query.values]) for (const { target } of relations) found.add(target)
    addOfCondition(query.condition, found)
    return found
  }
  if (query.condition !== undefined) addOfCondition(query.condition, found)
  if (query.sort !== undefined) addOfSort(query.sort, found)
  if (query.contents !== undefined) addOfContents(query.contents, found)
  return found
}

function addOfCondition(condition: Condition, found: Set<Resource>): void {
  switch (condition.kind) {
    case 'all':
    case 'any':
    case 'union':
      for (const inner of condition.conditions) addOfCondition(inner, found)
      break
    case 'some':
      found.add(condition.relation.target)
      addOfCondition(condition.condition, found)
      break
    case 'not':
      addOfCondition(condition.condition, found)
      break
    case 'compare':
  }
}

function addOfSort(sort: readonly SortKey[], found: Set<Resource>): void {
  for (const { by } of sort) for (const { target } of by.relations) found.add(target)
}

function addOfContents({ counts, related, leftOut, rows }: Contents, found: Set<Resource>): void {
  for (const { relations } of counts.values()) for (const { target } of relations) found.add(target)
  for (const { target } of leftOut) found.add(target)
  for (const [{ kind, target }, contents] of related) {
    found.add(target)
    if (kind === 'owns' && contents.values === undefined) addCarried(target, found)
    addOfContents(contents, found)
  }
  addOfCondition(rows.condition, found)
  addOfSort(rows.sort, found)
}

/** What an owned record shows if the query does not say. */
function addCarried(resource: Resource, found: Set<Resource>): void {
  const { owned, related } = resourcesInRecord(resource)
  for (const shown of [...owned, ...related]) found.add(shown)
}
