import { sql } from 'kysely'
import type { RowAction } from '../../asking/policies/rights.ts'
import { partsOfId } from '../../model/ids/composite-id.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Resource } from '../../model/model.ts'
import type { AddedRow, PlannedRow } from '../../planning/decide/guarded-rows.ts'
import { keyOf, type MemberKey, membersIn } from '../../planning/rows.ts'
import type { QueryContext } from '../context.ts'
import type { RowsTable } from '../dialect/dialect.ts'
import { fulfilsPolicy } from '../rows/visible-rows.ts'
import { rowsOf } from '../steps/step-shape.ts'
import { rowId } from '../text/member-id-sql.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { column, constant, join, type Sql, slot } from '../text/sql-text.ts'
import type { StatementCache } from '../text/statement-cache.ts'
import { ownColumns, storedRows } from '../text/stored-rows.ts'
import { ALLOWED } from './allowed-query.ts'

/** Asks a policy about a row that is not stored: the only column has {@link ALLOWED}, or something else. */
export interface PlannedQuery {
  readonly query: Prepared
  readonly values: readonly unknown[]
}

export function plannedQueries(
  context: QueryContext,
  statements: StatementCache,
): (planned: PlannedRow) => PlannedQuery {
  const { dialect } = context
  const addQuery = statements.each((context, resource: Resource, set: MemberKey) => {
    const rows = rowsOf(context, resource, hasIdColumn(resource), [...resource.ownedBy, ...membersIn(resource, set)])
    return { query: prepareQuery(context, resource, 'Add', rows, dialect.rows(slot(0), rows, 'joined')), rows }
  })
  const editQuery = statements.each((context, resource: Resource, set: MemberKey, action: PlannedRow['action']) => {
    const rows = rowsOf(context, resource, true, membersIn(resource, set))
    const changed = changedRow(context, resource, rows)
    return { query: prepareQuery(context, resource, action, wholeRows(context, resource), changed), rows }
  })
  return (planned) => {
    const { resource, values } = planned
    const isAdded = planned.id === undefined
    const key = keyOf(values)
    const { query, rows } = isAdded ? addQuery(resource, key) : editQuery(resource, key, planned.action)
    const ids = isAdded ? addedKeys(planned) : partsOfId(resource.id, planned.id)
    const row = [...ids, ...values.filter((value) => value !== undefined)]
    return { query, values: [dialect.encodeRows([row], rows)] }
  }
}

function wholeRows(context: QueryContext, resource: Resource): RowsTable {
  const members = resource.members.filter((member) => member.kind === 'field' || !member.isFixed)
  return rowsOf(context, resource, hasIdColumn(resource), [...resource.ownedBy, ...members])
}

function hasIdColumn({ idMembers }: Resource): boolean {
  return idMembers.length === 0
}

/** Only the database knows the id in a column of its own. */
function addedKeys({ resource, owners }: AddedRow): readonly (Id | null)[] {
  return hasIdColumn(resource) ? [null, ...owners] : owners
}

/** A query of the stored row with other values in the columns that are set. */
function changedRow(context: QueryContext, resource: Resource, set: RowsTable): Sql {
  const isSet = new Set(set.columns.map(({ name }) => name))
  const columns = wholeRows(context, resource).columns.map(
    ({ name }) => sql`${column(isSet.has(name) ? 'n' : 't', name)} as ${sql.id(name)}`,
  )
  const isSame = sql`${rowId(resource, 't')} = ${rowId(resource, 'n')}`
  const stored = storedRows(context, resource, 't').joinedOn(isSame)
  return sql`(select ${join(columns)} from ${context.dialect.rows(slot(0), set, 'joined')} as ${sql.id('n')} join ${stored})`
}

/** A policy that asks for a column which the row lacks fails: what only the database knows is not known before the row
 * is stored. */
function prepareQuery(
  context: QueryContext,
  resource: Resource,
  action: RowAction,
  row: RowsTable,
  planned: Sql,
): Prepared {
  const fixed = ownColumns(context, resource)
  const names = [...row.columns.map(({ name }) => name), ...fixed.map((one) => one.column)]
  const columns = names.map((name) => sql`${column('p', name)} as ${sql.id(name)}`)
  const isAllowed = fulfilsPolicy(context, resource, action, 'p', sql`select ${join(columns)}`) ?? sql`true`
  const answer = sql`case when ${isAllowed} then ${constant(ALLOWED)} end`
  const values = [sql`${sql.id('p')}.*`, ...fixed.map((one) => sql`${one.value} as ${sql.id(one.column)}`)]
  const whole = fixed.length === 0 ? planned : sql`(select ${join(values)} from ${planned} as ${sql.id('p')})`
  return prepare(context.db, sql`select ${answer} as allowed from ${whole} as ${sql.id('p')}`)
}
