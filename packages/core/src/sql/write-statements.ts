import { sql } from 'kysely'
import type { RowAction } from '../asking/policies/rights.ts'
import type { Selection } from '../asking/select/selection.ts'
import type { CollectionPath } from '../model/collection-path.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Link, Resource } from '../model/model.ts'
import type { GuardedRows, PlannedRow } from '../planning/decide/guarded-rows.ts'
import type { Lookups } from '../planning/decide/lookups.ts'
import type { RowsOfRecord } from '../planning/decide/may-be-blind.ts'
import type { NewIds, ToReserve } from '../planning/order/new-ids.ts'
import type { OrderedStep } from '../planning/order/ordered.ts'
import { keyOf, type MemberKey, type MemberValues, membersIn } from '../planning/rows.ts'
import { type AllowedQuery, allowedQueries } from './checks/allowed-query.ts'
import { type LookupQuery, lookupQueries } from './checks/lookup-query.ts'
import { type PlannedQuery, plannedQueries } from './checks/planned-query.ts'
import type { QueryContext } from './context.ts'
import type { ComparableField, Pipelining } from './dialect/dialect.ts'
import type { AssignedIds } from './dialect/id-sql.ts'
import { answerWithLinksQuery, keptRecordQuery, lockQuery, unchangedQuery, type Waiting } from './reads/read-queries.ts'
import { livesAt } from './rows/path-condition.ts'
import { foundOtherwise, fulfilsPolicy, mayWrite, visibleBelow } from './rows/visible-rows.ts'
import { type JoinedSteps, joinedStepsOf } from './steps/joined-steps.ts'
import {
  noteKeptQuery,
  type OwnersIn,
  type RepeatQueries,
  repeatQueries,
  type StampQuery,
  stampQueries,
} from './steps/repeat-queries.ts'
import { reserveQuery } from './steps/reserved-ids.ts'
import { rowsOf } from './steps/step-shape.ts'
import { type Steps, stepsOf } from './steps/steps.ts'
import { fieldValue } from './text/field-column.ts'
import { idSlot, idSqlOf, rowId } from './text/member-id-sql.ts'
import { type Prepared, prepare, type SlotValues } from './text/prepare.ts'
import { column, combined, join, partsOf, type Sql, slot } from './text/sql-text.ts'
import type { StatementCache } from './text/statement-cache.ts'
import { storedRows, tableOf, tableRows } from './text/stored-rows.ts'

/** The statements that write, and those that a write asks before. */
export interface WriteStatements {
  /** One row if the record is locked; none if it is not there, or is locked by another writer and skipped. */
  lock(resource: Resource, waiting: Waiting): Prepared
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
  /** Whether a record that one of the owners has lost was deleted at this moment. */
  stampTaken(owners: readonly OwnersIn[], at: string): StampQuery
  /** Has foreign keys wait until the transaction commits. Undefined where rows swap unique values in one statement. */
  readonly deferForeignKeys: Prepared | undefined
  /** Has the statements behind it planned without their values, until the transaction ends. Undefined where they are
   * anyway. */
  readonly plansWithoutValues: Prepared | undefined
  /** Undefined where each step is a statement of its own, and is waited for. */
  readonly pipelined: PipelinedStatements | undefined
  /** Returns a row if the table is a view. Undefined where it makes no difference: SQLite counts no rows that a view's
   * triggers write. */
  readonly isView: ((of: Resource | Link) => Prepared) | undefined
  /** Reserves ids: JSON in the column `json`. */
  reserve(rows: readonly ToReserve[], hasSequences: boolean): Prepared
  /** Whether SQLite keeps the highest id that each table ever had. Undefined where every database does. */
  readonly sequences: Prepared | undefined
  /** What requests with an `Idempotency-Key` have done. */
  repeats(): RepeatQueries
  /** Keeps the database from assigning an id (slot `id`) that a client chose. Undefined where it never does. */
  skipId(resource: Resource): Prepared | undefined
  /** The same for all ids that are in use. */
  skipUsedIds(resource: Resource): Prepared | undefined
}

/** Statements that are sent before earlier ones are answered. */
export interface PipelinedStatements {
  /** The steps of a group as one statement, which fails with {@link UNDONE} if the database lets rows be. */
  joined(steps: readonly OrderedStep[], newIds: NewIds, hasSettings: boolean): JoinedSteps
  /** The record whose id was kept as its row was inserted. */
  keptRecord(path: CollectionPath): Prepared
  /** Notes the record whose id was kept as that of a request with an `Idempotency-Key`. */
  noteKept(resource: Resource): Prepared
  /** The whole record. Fails with {@link CHANGED} unless the rows of the record have the links that are expected. */
  answerWithLinks(path: CollectionPath): Prepared
  /** Fails with {@link CHANGED} unless `record` would still give the JSON in the slot `json`. */
  unchanged(path: CollectionPath, selection: Selection, action?: RowAction): Prepared
}

export function writeStatements(context: QueryContext, statements: StatementCache): WriteStatements {
  const { db, dialect, names } = context
  const steps = stepsOf(context, statements)
  const blindUpdate = statements.each((context, path: CollectionPath, set: MemberKey) =>
    blindUpdateQueries(context, path, membersIn(path.resource, set) as readonly ComparableField[]),
  )
  const reserve = statements.each(reserveQuery)
  const skip = statements.each(
    (context, resource: Resource, ids: 'in the slot' | 'in use', { skip, highest }: SkippingIds) => {
      const [idColumn] = resource.idColumns
      const id = ids === 'in use' ? highest(idColumn, tableRows(context, resource)) : slot('id')
      return prepare(db, skip(tableOf(context, resource), names.column(idColumn), id))
    },
  )
  const skipOf = (resource: Resource, ids: 'in the slot' | 'in use') => {
    const assigned = resource.id.assignedBy === 'database' ? idSqlOf(context, resource).assigned : undefined
    return assigned?.skip && skip(resource, ids, assigned as SkippingIds)
  }
  return {
    lock: statements.each(lockQuery),
    blindUpdate: (path, values) => blindUpdate(path, keyOf(values)),
    // A path decides which rows go along.
    blindDelete: statements.each(blindDeleteQueries, (path) => [path]),
    lookup: lookupQueries(context, statements),
    planned: plannedQueries(context, statements),
    allowed: allowedQueries(context, statements),
    steps,
    stampTaken: stampQueries(context, statements),
    deferForeignKeys: dialect.deferForeignKeys && prepare(db, dialect.deferForeignKeys),
    plansWithoutValues: dialect.plansWithoutValues && prepare(db, dialect.plansWithoutValues),
    pipelined: dialect.pipelining && pipelinedStatements(context, dialect.pipelining, steps, statements),
    isView:
      dialect.isView && statements.each((context, of) => prepare(db, dialect.isView?.(tableOf(context, of)) as Sql)),
    reserve: (rows, hasSequences) =>
      reserve(
        rows.map(({ resource }) => resource),
        hasSequences,
      ),
    sequences: dialect.sequences && prepare(db, dialect.sequences),
    repeats: statements.each(repeatQueries),
    skipId: (resource) => skipOf(resource, 'in the slot'),
    skipUsedIds: (resource) => skipOf(resource, 'in use'),
  }
}

type SkippingIds = AssignedIds & { readonly skip: NonNullable<AssignedIds['skip']> }

function pipelinedStatements(
  context: QueryContext,
  pipelining: Pipelining,
  steps: Steps,
  statements: StatementCache,
): PipelinedStatements {
  const unchanged = statements.each(
    (context, path: CollectionPath, selection: Selection, action: RowAction | undefined) =>
      unchangedQuery(context, path, selection, action, pipelining),
  )
  return {
    joined: joinedStepsOf(context, pipelining, steps, statements),
    keptRecord: statements.each(keptRecordQuery),
    noteKept: statements.each(noteKeptQuery),
    answerWithLinks: statements.each((context, path) => answerWithLinksQuery(context, path, pipelining)),
    // Without policies, every action is allowed: the statement is the same.
    unchanged: (path, selection, action) =>
      unchanged(path, selection, context.rights === undefined ? undefined : action),
  }
}

const ALIAS = 't0'

// A blind write is the same for every record, so no record is read before it.

/** Sets fields of one record (slot `id`). */
interface BlindUpdate {
  /**
   * Writes only the fields whose values differ. Leaves the record alone if none does. Returns a row if it has changed
   * the record, unless {@link wouldChange} is there to tell.
   */
  readonly update: Prepared
  /** Returns a row if {@link update} would change the record. Undefined where others may write between the two. */
  readonly wouldChange: Prepared | undefined
  /** The values of all slots, from the ids of the record and its owners, and the values to set. */
  toValues(ofRecord: Readonly<Record<string, Id>>, values: MemberValues): SlotValues
}

function blindUpdateQueries(
  context: QueryContext,
  path: CollectionPath,
  fields: readonly ComparableField[],
): BlindUpdate {
  const { db, dialect } = context
  const { resource } = path
  const targets = rowsOf(context, resource, false, fields).columns.map((one, index) => {
    const field = fields[index] as ComparableField
    return { field, one, toSet: `set${index}`, toCompare: `compared${index}` }
  })
  const different = targets.map(({ field, toCompare }) =>
    dialect.isDifferent(column(ALIAS, field.column), fieldValue(context, field, ALIAS), field, slot(toCompare)),
  )
  const assigned = targets.map(({ one, toSet }, index) => {
    const value = dialect.value(slot(toSet), one)
    if (targets.length === 1) return sql`${sql.id(one.name)} = ${value}`
    return sql`${sql.id(one.name)} = case when ${different[index]} then ${value} else ${column(ALIAS, one.name)} end`
  })
  const source = visibleBelow(context, resource, ALIAS)
  const isHere = allowedAt(context, path, 'EditBefore')
  const isDifferent = sql`(${combined(different, sql` or `)})`
  const update = source.update(join(assigned), ...isHere, isDifferent)
  return {
    update: prepare(db, dialect.othersMayWrite ? sql`${update} returning 1 as one` : update),
    wouldChange: dialect.othersMayWrite
      ? undefined
      : prepare(db, sql`select 1 as one ${source.from(...isHere, isDifferent)}`),
    toValues(ofRecord, values) {
      const all: Record<string, unknown> = { ...ofRecord }
      for (const { field, one, toSet, toCompare } of targets) {
        const value = values[field.position]
        const encoded = dialect.encodeValue(value, one)
        all[toSet] = encoded
        all[toCompare] = dialect.encodeCompared(value, encoded, one)
      }
      return all
    },
  }
}

/**
 * Deletes a record of the path (slot `id`) and the rows that go with any record of the path. The last statement returns
 * a row if it has deleted the record. If it returns none, the transaction must be rolled back.
 */
function blindDeleteQueries(context: QueryContext, path: CollectionPath, along: readonly RowsOfRecord[]): Prepared[] {
  const { db, dialect } = context
  const id = idSlot(context, path.resource)
  const isHere = [
    ...allowedAt(context, path, 'Delete'),
    ...along.flatMap((one) => hasNoneForbidden(context, path, one)),
  ]
  const record = sql`${visibleBelow(context, path.resource, ALIAS).delete(...isHere)} returning ${join(partsOf(rowId(path.resource)))}`
  const rowsOfRecord = ({ of, column }: RowsOfRecord, id: Sql) => {
    const allowed = mayBeDeleted(context, of)
    return storedRows(context, of, ROW).delete(
      sql`${sql.id(column)} = ${id}`,
      ...(allowed === undefined ? [] : [allowed]),
    )
  }
  if (dialect.pipelining === undefined) {
    const rows = along.map((one) => rowsOfRecord(one, id))
    return [...rows, record].map((statement) => prepare(db, statement))
  }
  const gone = sql.id('crud_gone')
  const goneId = sql`(select ${rowId(path.resource)} from ${gone})`
  const rows = along.map((one, index) => sql`${sql.id(`crud_${index}`)} as (${rowsOfRecord(one, goneId)})`)
  return [prepare(db, sql`with ${join([sql`${gone} as (${record})`, ...rows])} select 1 as one from ${gone}`)]
}

/** That the record is at the path, and that a policy allows the action. */
function allowedAt(context: QueryContext, path: CollectionPath, action: RowAction): readonly Sql[] {
  const isHere = livesAt(context, path, ALIAS, idSlot(context, path.resource))
  const isAllowed = foundOtherwise(mayWrite(context, path.resource, action, ALIAS))
  return isAllowed === undefined ? [isHere] : [isHere, isAllowed]
}

const ROW = 't1'

/** The policy of the rows' own resource. Without one, they go with their owner. */
function mayBeDeleted(context: QueryContext, of: Resource | Link): Sql | undefined {
  return 'key' in of ? foundOtherwise(fulfilsPolicy(context, of, 'Delete', ROW)) : undefined
}

/** That the record has no row which may not be deleted with it. Where the rows were deleted before, these are left. */
function hasNoneForbidden(
  context: QueryContext,
  { resource }: CollectionPath,
  { of, column: key }: RowsOfRecord,
): readonly Sql[] {
  const isAllowed = mayBeDeleted(context, of)
  if (isAllowed === undefined) return []
  const isOfRecord = sql`${column(ROW, key)} = ${rowId(resource, ALIAS)}`
  return [sql`not exists (select 1 ${storedRows(context, of, ROW).from(isOfRecord, sql`${isAllowed} is not true`)})`]
}
