import { sql } from 'kysely'
import type { RowAction } from '../../asking/policies/rights.ts'
import type { CollectionPath } from '../../model/collection-path.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, Resource } from '../../model/model.ts'
import type { RowsOfRecord } from '../../planning/decide/may-be-blind.ts'
import type { MemberValues } from '../../planning/rows.ts'
import type { QueryContext } from '../context.ts'
import type { ComparableField } from '../dialect/dialect.ts'
import { livesAt } from '../rows/path-condition.ts'
import { foundOtherwise, fulfilsPolicy, mayWrite, visibleBelow } from '../rows/visible-rows.ts'
import { fieldValue } from '../text/field-column.ts'
import { idSlot, rowId } from '../text/member-id-sql.ts'
import { type Prepared, prepare, type SlotValues } from '../text/prepare.ts'
import { column, combined, join, partsOf, type Sql, slot } from '../text/sql-text.ts'
import { storedRows } from '../text/stored-rows.ts'
import { rowsOf } from './step-shape.ts'

const ALIAS = 't0'

// A blind write is the same for every record, so no record is read before it.

/** Sets fields of one record (slot `id`). */
export interface BlindUpdate {
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

export function blindUpdateQueries(
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
export function blindDeleteQueries(
  context: QueryContext,
  path: CollectionPath,
  along: readonly RowsOfRecord[],
): Prepared[] {
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
