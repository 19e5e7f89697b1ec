import { ASCII_ONLY, type Comparing, EVERYTHING } from '../asking/condition.ts'
import type { GroupQuery } from '../asking/groups/group-query.ts'
import { type ListQuery, PLAIN_LIST } from '../asking/list-query.ts'
import type { RowAction } from '../asking/policies/rights.ts'
import type { RecordQuery } from '../asking/record-query.ts'
import { selectionFor } from '../asking/select/chosen-selection.ts'
import type { Selection } from '../asking/select/selection.ts'
import { stateWith, wholeRecordAt } from '../asking/select/selections.ts'
import type { CollectionPath } from '../model/collection-path.ts'
import type { FieldRights } from '../model/field-rights.ts'
import type { Link, Owns, Resource } from '../model/model.ts'
import { ofHeld, type QueryContext } from './context.ts'
import { cursorValues } from './filters/behind-cursor.ts'
import { filterValues, valuesOf } from './filters/filter-sql.ts'
import { groupsQuery, HAVING } from './reads/groups-query.ts'
import {
  type OwnersOfManyQuery,
  type OwnersQuery,
  ownersOfManyQuery,
  ownersQuery,
  spelledIdQuery,
} from './reads/owners-query.ts'
import { pageQuery, type RecordsQuery } from './reads/page-query.ts'
import {
  type OwnerQuery,
  ownerQuery,
  recordAndStateQuery,
  recordQuery,
  vacanciesQuery,
  vacancyQuery,
} from './reads/read-queries.ts'
import type { NoteUnshown } from './reads/read-unshown.ts'
import { recordsQuery } from './reads/rows-query.ts'
import type { Prepared } from './text/prepare.ts'
import type { StatementCache } from './text/statement-cache.ts'

/** The statements that read. */
export interface ReadStatements {
  /** The most bytes that an answer may have. */
  readonly maxAnswer: number
  /** The fields that whole records show. */
  readonly fieldRights: FieldRights
  /** Is told of values that answers leave out, because no JSON can show them. */
  readonly noteUnshown: NoteUnshown
  /** Without a selection: the whole record. With an action: {@link FORBIDDEN} in its place if a policy does not allow
   * it. */
  record(path: CollectionPath, selection?: Selection, action?: RowAction): Prepared
  /** The whole record in the column `json`, and `state` in a column of that name. */
  recordAndState(path: CollectionPath, state: Selection, action: RowAction): Prepared
  /** The records of a path with certain ids, as `record` gives one, each in a row with its `id` and `json` (slot
   * `ids`). */
  records(path: CollectionPath, selection: Selection, action?: RowAction): Prepared
  /** What {@link stateWith} selects, as one object each time. */
  stateWith(resource: Resource, besides: ReadonlySet<Owns | Link>): Selection
  /** Default: all records, by their ids. */
  page(path: CollectionPath, query?: ListQuery, comparing?: Comparing): RecordsQuery
  groups(path: CollectionPath, query: GroupQuery, comparing: Comparing): Prepared
  /** What a query chooses of a record. */
  chosenRecord(path: CollectionPath, query: RecordQuery, comparing: Comparing): RecordsQuery
  /** The values of the slots of a query. */
  queryValues(query: RecordQuery & Partial<ListQuery>): Readonly<Record<string, unknown>>
  groupValues(query: GroupQuery): Readonly<Record<string, unknown>>
  vacancy(path: CollectionPath, withId: boolean): Prepared
  vacancies(path: CollectionPath): Prepared
  owner(resource: Resource): OwnerQuery
  allOwners(resource: Resource): OwnersQuery
  allOwnersOfMany(resource: Resource): OwnersOfManyQuery
  /** The same of a deleted record, whose owners may be deleted, too. */
  ownersOfHeld(resource: Resource): OwnersQuery
  spelledId(resource: Resource): Prepared
}

/** `shapes`: a cache of their own, so that no client takes the room of all other statements. */
export function readStatements(
  context: QueryContext,
  statements: StatementCache,
  shapes: StatementCache,
  noteUnshown: NoteUnshown,
): ReadStatements {
  const { maxAnswer, rights, fieldRights } = context
  const record = statements.each(recordQuery)
  const records = statements.each(recordsQuery)
  const fixedPage = statements.each(
    (context, path: CollectionPath, query: ListQuery) => pageQuery(context, path, query),
    (path, { shape }) => [path, shape],
  )
  const shapedPage = shapes.each(
    (context, path: CollectionPath, query: ListQuery, comparing: Comparing) =>
      ofClient(pageQuery({ ...context, comparing }, path, query)),
    keyOfQuery,
  )
  const state = statements.each((_context, resource: Resource, besides: readonly (Owns | Link)[]) =>
    stateWith(resource, new Set(besides), fieldRights),
  )
  return {
    maxAnswer,
    fieldRights,
    noteUnshown,
    // Without policies, every action is allowed: the statement is the same.
    record: (path, selection = wholeRecordAt(path, fieldRights), action?: RowAction) =>
      record(path, selection, rights === undefined ? undefined : action),
    recordAndState: statements.each(recordAndStateQuery),
    records: (path, selection, action) => records(path, selection, rights === undefined ? undefined : action),
    stateWith: (resource, besides) => state(resource, [...besides].sort(compareNames)),
    page: (path, query = PLAIN_LIST, comparing = ASCII_ONLY) =>
      isFixed(query) ? fixedPage(path, query) : shapedPage(path, query, comparing),
    groups: shapes.each(
      (context, path: CollectionPath, query: GroupQuery, comparing: Comparing) =>
        groupsQuery({ ...context, comparing }, path, query).asClientShape(),
      keyOfQuery,
    ),
    chosenRecord: shapes.each((context, path: CollectionPath, query: RecordQuery, comparing: Comparing) => {
      const selection = selectionFor(path, query, fieldRights)
      return ofClient({ selection, statement: recordQuery({ ...context, comparing }, path, selection, undefined) })
    }, keyOfQuery),
    queryValues(query) {
      const { count, after } = query
      return {
        ...valuesOf(context, query),
        ...(typeof count === 'number' && { most: count }),
        ...(after && cursorValues(after)),
      }
    },
    groupValues: ({ condition, having, count, timeZone, mostRows }) => ({
      ...filterValues(context, condition),
      ...filterValues(context, having, HAVING),
      ...(typeof count === 'number' && { most: count }),
      ...{ timeZone, groupRows: mostRows },
    }),
    vacancy: statements.each(vacancyQuery),
    vacancies: statements.each(vacanciesQuery),
    owner: statements.each(ownerQuery),
    allOwners: statements.each(ownersQuery),
    allOwnersOfMany: statements.each(ownersOfManyQuery),
    ownersOfHeld: statements.each((context, resource) => ownersQuery(ofHeld(context), resource)),
    spelledId: statements.each(spelledIdQuery),
  }
}

/** Queries of one shape differ only in values, for which the statement has slots. */
function keyOfQuery(
  path: CollectionPath,
  { shape }: Pick<RecordQuery, 'shape'>,
  { foldsAll, printsIso, findsParts }: Comparing,
): readonly unknown[] {
  return [path, shape, foldsAll, printsIso, findsParts]
}

/**
 * Whether there are only a few shapes of such queries: they differ in how they count, and in whether they begin behind
 * a record. They compare nothing but ids.
 */
function isFixed({ condition, sort, contents }: ListQuery): boolean {
  return condition === EVERYTHING && sort.length === 0 && contents === undefined
}

function ofClient({ selection, statement }: RecordsQuery): RecordsQuery {
  return { selection, statement: statement.asClientShape() }
}

function compareNames(a: Owns | Link, b: Owns | Link): number {
  const [left, right] = [a, b].map(({ source, name }) => `${source.key}.${name}`) as [string, string]
  return left < right ? -1 : left > right ? 1 : 0
}
