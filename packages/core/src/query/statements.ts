import { type CollectionPath, nameOfPath } from '../model/collection-path.ts'
import type { FieldRights } from '../model/field-rights.ts'
import type { Id } from '../model/ids.ts'
import type { Resource } from '../model/model.ts'
import type { GuardedRows } from '../plan/decide/guarded-rows.ts'
import type { Lookups } from '../plan/decide/lookups.ts'
import type { RowsOfRecord } from '../plan/decide/may-be-blind.ts'
import type { PlannedRow } from '../plan/decide/planned-rows.ts'
import { keyOf, type MemberValues, positionsOf } from '../plan/member-values.ts'
import type { NewIds, ToReserve } from '../plan/order/new-ids.ts'
import type { OrderedStep } from '../plan/order/ordered.ts'
import type { RowAction } from '../policies/rights.ts'
import { ASCII_ONLY, type Comparing, nameOfComparing } from '../reading/comparing.ts'
import { EVERYTHING } from '../reading/condition.ts'
import { type ListQuery, PLAIN_LIST } from '../reading/list-query.ts'
import type { RecordQuery } from '../reading/record-query.ts'
import { selectionFor } from '../reading/select/chosen-selection.ts'
import type { Selection } from '../reading/select/selection.ts'
import { WHOLE, wholeRecord } from '../reading/select/selections.ts'
import { type AllowedQuery, allowedQuery } from './checks/allowed-query.ts'
import { type LookupQuery, lookupQuery } from './checks/lookup-query.ts'
import { type PlannedQuery, plannedQuery } from './checks/planned-query.ts'
import type { QueryContext } from './context.ts'
import type { ComparableField } from './dialect/dialect.ts'
import { cursorValues } from './filters/behind-cursor.ts'
import { valuesOf } from './filters/filter-sql.ts'
import { answerWithLinksQuery } from './reads/answer-with-links.ts'
import { lockRowsQuery, type RowLock } from './reads/lock-rows-query.ts'
import { pageQuery, type RecordsQuery } from './reads/page-query.ts'
import {
  keptRecordQuery,
  lockQuery,
  type OwnersQuery,
  ownersQuery,
  recordAndStateQuery,
  recordQuery,
  unchangedQuery,
  vacancyQuery,
  type Waiting,
} from './reads/read-queries.ts'
import type { NoteUnshown } from './reads/read-unshown.ts'
import { type RowsAsked, type RowsQuery, rowsQuery } from './reads/rows-query.ts'
import { type BlindUpdate, blindDeleteQueries, blindUpdateQueries } from './steps/blind-queries.ts'
import { type CheckedStep, checkedStep } from './steps/checked-step.ts'
import { type JoinedSteps, joinedSteps } from './steps/joined-steps.ts'
import { reserveQuery } from './steps/reserved-ids.ts'
import { type Steps, stepsOf } from './steps/steps.ts'
import { idSqlOf } from './text/id-sql-of.ts'
import { type KeptCount, lastUsed } from './text/last-used.ts'
import { onceEach } from './text/once.ts'
import { type Prepared, prepare } from './text/prepare.ts'
import { slot } from './text/sql-text.ts'
import { storedRows, tableOf } from './text/stored-rows.ts'

/** Every statement that a model needs on one database, each compiled at its first use and kept. */
export interface Statements {
  /** The most bytes that an answer may have. */
  readonly maxAnswer: number
  /** The fields that whole records show. */
  readonly fieldRights: FieldRights
  /** Is told of values that answers leave out, because no JSON can show them. */
  readonly noteUnshown: NoteUnshown
  /** Without a selection: the whole record. With an action: {@link FORBIDDEN} in its place if a policy does not allow it. */
  record(path: CollectionPath, selection?: Selection, action?: RowAction): Prepared
  /** The whole record in the column `json`, and `state` in a column of that name. */
  recordAndState(path: CollectionPath, state: Selection, action: RowAction): Prepared
  /** Default: all records, by their ids. */
  page(path: CollectionPath, query?: ListQuery, comparing?: Comparing): RecordsQuery
  /** What a query chooses of a record. */
  chosenRecord(path: CollectionPath, query: RecordQuery, comparing: Comparing): RecordsQuery
  /** The values of the slots of a query. */
  queryValues(query: RecordQuery & Partial<ListQuery>): Readonly<Record<string, unknown>>
  vacancy(path: CollectionPath, withId: boolean): Prepared
  /** One row if the record is locked; none if it is not there, or is locked by another writer and skipped. */
  lock(resource: Resource, waiting: Waiting): Prepared
  owners(resource: Resource): OwnersQuery
  /** Rows for rules, whoever may see them. */
  rows(asked: readonly RowsAsked[]): RowsQuery
  /** Locks rows for rules, in the order of their ids. Undefined where the database has one writer at a time. */
  readonly lockRows: LockRows | undefined
  /** Sets the fields that have a value, without reading the record first. */
  blindUpdate(path: CollectionPath, values: MemberValues): BlindUpdate
  /** Deletes a record and the rows that go with any record of the path (`along`), one statement after the other. */
  blindDelete(path: CollectionPath, along: readonly RowsOfRecord[]): readonly Prepared[]
  lookup(lookups: Lookups): LookupQuery
  /** Whether a policy allows a row that is not stored. */
  planned(row: PlannedRow): PlannedQuery
  /** Undefined if no policy has to be asked about the rows. */
  allowed(guarded: readonly GuardedRows[], newIds: NewIds): AllowedQuery | undefined
  /** The steps, each to be run on its own once the ids that it names are known, or joined to others. */
  readonly steps: Steps
  /** Has foreign keys wait until the transaction commits. Undefined where rows swap unique values in one statement. */
  readonly deferForeignKeys: Prepared | undefined
  /** Undefined where each step is a statement of its own, and is waited for. */
  readonly pipelined: PipelinedStatements | undefined
  /** Reserves ids: JSON in the column `json`. */
  reserve(rows: readonly ToReserve[], hasSequences: boolean): Prepared
  /** Whether SQLite keeps the highest id that each table ever had. Undefined where every database does. */
  readonly sequences: Prepared | undefined
  /** Keeps the database from assigning an id (slot `id`) that a client chose. Undefined where it never does. */
  skipId(resource: Resource): Prepared | undefined
  /** The same for all ids that are in use. */
  skipUsedIds(resource: Resource): Prepared | undefined
}

/** Statements that are sent before earlier ones are answered. */
export interface PipelinedStatements {
  /** The steps of a group as one statement. */
  readonly joined: JoinStatement
  /** A step that fails unless it writes every row; undefined where it need not be checked. */
  checked(step: OrderedStep, newIds: NewIds): CheckedStep | undefined
  /** The record whose id was kept as its row was inserted. */
  keptRecord(path: CollectionPath): Prepared
  /** The whole record. Fails with {@link CHANGED} unless the rows of the record have the links that are expected. */
  answerWithLinks(path: CollectionPath): Prepared
  /** Fails with {@link CHANGED} unless `record` would still give the JSON in the slot `json`. */
  unchanged(path: CollectionPath, selection: Selection, action?: RowAction): Prepared
}

/** Its answer has a row for each that is locked. */
export type LockRows = (resource: Resource, ids: readonly Id[], lock: RowLock, waiting: Waiting) => RowsQuery

export type JoinStatement = (steps: readonly OrderedStep[], newIds: NewIds) => JoinedSteps

/** `count` is told of each statement that is kept, `noteUnshown` of values that answers leave out. */
export function statementsOf(
  context: QueryContext,
  count?: KeptCount,
  noteUnshown: NoteUnshown = () => {},
): Statements {
  const { db, dialect, names, maxAnswer, rights, fieldRights } = context
  const { pipelining } = dialect
  const once = onceEach(count)
  const shapes = lastUsed(count)
  const ofClients = (name: string, build: () => RecordsQuery) =>
    shapes(name, (): RecordsQuery => {
      const { selection, statement } = build()
      return { selection, statement: statement.asClientShape() }
    })
  // Without policies, every action is allowed: the statement is the same.
  const nameOf = ({ name }: Selection, action: RowAction | undefined) =>
    action !== undefined && rights !== undefined ? `${name} to ${action}` : name
  const steps = stepsOf(context, once)
  return {
    maxAnswer,
    fieldRights,
    noteUnshown,
    record(path, selection = wholeRecord(path.resource, fieldRights), action?: RowAction) {
      return once.of(path, nameOf(selection, action), () => recordQuery(context, path, selection, action))
    },
    recordAndState: (path, state, action) =>
      once.of(path, `${WHOLE} and ${state.name} to ${action}`, () => recordAndStateQuery(context, path, state, action)),
    page(path, query = PLAIN_LIST, comparing = ASCII_ONLY) {
      const build = () => pageQuery(context, path, query, comparing)
      if (isFixed(query)) return once.of(path, `page ${query.shape}`, build)
      return ofClients(`${nameOfPath(path)} ${query.shape} ${nameOfComparing(comparing)}`, build)
    },
    chosenRecord: (path, query, comparing) =>
      ofClients(`record ${nameOfPath(path)} ${query.shape} ${nameOfComparing(comparing)}`, () => {
        const selection = selectionFor(path.resource, query, comparing, fieldRights)
        return { selection, statement: recordQuery(context, path, selection, undefined) }
      }),
    queryValues(query) {
      const { count, after } = query
      return {
        ...valuesOf(context, query),
        ...(typeof count === 'number' && { most: count }),
        ...(after && cursorValues(after)),
      }
    },
    vacancy: (path, withId) =>
      once.of(path, withId ? 'vacancy with id' : 'vacancy', () => vacancyQuery(context, path, withId)),
    lock: (resource, waiting) => once.of(resource, `lock ${waiting}`, () => lockQuery(context, resource, waiting)),
    owners: (resource) => once.of(resource, 'owners', () => ownersQuery(context, resource)),
    rows: (asked) => rowsQuery(context, asked, once),
    lockRows: dialect.locksRows
      ? (resource, ids, lock, waiting) => ({
          query: once.of(resource, `${lock} ${waiting}`, () => lockRowsQuery(context, resource, lock, waiting)),
          values: [idSqlOf(context, resource).encodeList(ids)],
        })
      : undefined,
    blindUpdate: (path, values) =>
      once.of(path, keyOf(values), () => {
        const fields = positionsOf(values).map((position) => path.resource.members[position] as ComparableField)
        return blindUpdateQueries(context, path, fields)
      }),
    blindDelete: (path, along) => once.of(path, 'blind delete', () => blindDeleteQueries(context, path, along)),
    lookup: (lookups) => lookupQuery(context, lookups, once),
    planned: (row) => plannedQuery(context, row, once),
    allowed: (guarded, newIds) => allowedQuery(context, guarded, newIds, once),
    steps,
    deferForeignKeys: dialect.deferForeignKeys && prepare(db, dialect.deferForeignKeys),
    pipelined: pipelining && {
      joined: (ordered, newIds) => joinedSteps(context, ordered, newIds, steps, once),
      checked: (step, newIds) => checkedStep(context, pipelining, step, newIds, steps, once),
      keptRecord: (path) => once.of(path, 'kept', () => keptRecordQuery(context, path)),
      answerWithLinks: (path) =>
        once.of(path, 'answer with links', () => answerWithLinksQuery(context, path, pipelining)),
      unchanged: (path, selection, action) =>
        once.of(path, `unchanged ${nameOf(selection, action)}`, () =>
          unchangedQuery(context, path, selection, action, pipelining),
        ),
    },
    reserve: (rows, hasSequences) =>
      once(`new ids ${rows.map((one) => one.resource.key)} ${hasSequences}`, () =>
        reserveQuery(context, rows, hasSequences),
      ),
    sequences: dialect.sequences && prepare(db, dialect.sequences),
    skipId(resource) {
      const { skip } = idSqlOf(context, resource).assigned
      if (skip === undefined) return undefined
      return once.of(resource, 'skip', () =>
        prepare(db, skip(tableOf(context, resource), names.column(resource.idColumn), slot('id'))),
      )
    },
    skipUsedIds(resource) {
      const { skip, highest } = idSqlOf(context, resource).assigned
      if (skip === undefined) return undefined
      return once.of(resource, 'skip used', () => {
        const used = highest(resource.idColumn, storedRows(context, resource))
        return prepare(db, skip(tableOf(context, resource), names.column(resource.idColumn), used))
      })
    },
  }
}

/** Whether there are only a few shapes of such queries: they differ in how they count, and in whether they begin behind a record. */
function isFixed({ condition, sort, contents }: ListQuery): boolean {
  return condition === EVERYTHING && sort.length === 0 && contents === undefined
}
