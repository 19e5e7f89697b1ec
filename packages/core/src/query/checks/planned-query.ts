import { sql } from 'kysely'
import type { Resource } from '../../model/model.ts'
import type { PlannedRow } from '../../plan/decide/planned-rows.ts'
import { keyOf, positionsOf } from '../../plan/member-values.ts'
import type { RowAction } from '../../policies/rights.ts'
import type { QueryContext } from '../context.ts'
import type { RowsTable } from '../dialect/dialect.ts'
import { fulfils } from '../rows/shown-rows.ts'
import { rowsOf } from '../steps/step-shape.ts'
import type { Once } from '../text/once.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { column, constant, join, type Sql, slot } from '../text/sql-text.ts'
import { storedRows } from '../text/stored-rows.ts'
import { ALLOWED } from './allowed-query.ts'

/** Asks a policy about a row that is not stored: the only column has {@link ALLOWED}, or something else. */
export interface PlannedQuery {
  readonly query: Prepared
  readonly values: readonly unknown[]
}

export function plannedQuery(context: QueryContext, planned: PlannedRow, once: Once): PlannedQuery {
  const { resource, action } = planned
  const { dialect } = context
  if (planned.action === 'Add') {
    const { keys, values } = planned
    const known = resource.members.filter(({ position }) => values[position] !== undefined)
    const rows = rowsOf(context, resource, true, [...resource.ownedBy, ...known])
    const query = once(`plans Add:${resource.key}:${keyOf(values)}`, () =>
      prepareQuery(context, resource, action, rows, dialect.rows(slot(0), rows, 'joined')),
    )
    return { query, values: [dialect.encodeRows([[...keys, ...known.map(({ position }) => values[position])]], rows)] }
  }
  const positions = positionsOf(planned.values)
  const set = rowsOf(
    context,
    resource,
    true,
    resource.members.filter(({ position }) => planned.values[position] !== undefined),
  )
  const query = once(`plans EditAfter:${resource.key}:${keyOf(planned.values)}`, () =>
    prepareQuery(context, resource, action, wholeRows(context, resource), changedRow(context, resource, set)),
  )
  const values = [planned.id, ...positions.map((position) => planned.values[position])]
  return { query, values: [dialect.encodeRows([values], set)] }
}

function wholeRows(context: QueryContext, resource: Resource): RowsTable {
  return rowsOf(context, resource, true, [...resource.ownedBy, ...resource.members])
}

/** A query of the stored row with other values in the columns that are set. */
function changedRow(context: QueryContext, resource: Resource, set: RowsTable): Sql {
  const isSet = new Set(set.columns.map(({ name }) => name))
  const columns = wholeRows(context, resource).columns.map(
    ({ name }) => sql`${column(isSet.has(name) ? 'n' : 't', name)} as ${sql.id(name)}`,
  )
  const isSame = sql`${column('t', resource.idColumn)} = ${column('n', resource.idColumn)}`
  const stored = storedRows(context, resource, 't').joinedOn(isSame)
  return sql`(select ${join(columns)} from ${context.dialect.rows(slot(0), set, 'joined')} as ${sql.id('n')} join ${stored})`
}

/** A policy that asks for a column which the row lacks fails: what only the database knows is not known before the row is stored. */
function prepareQuery(
  context: QueryContext,
  resource: Resource,
  action: RowAction,
  row: RowsTable,
  planned: Sql,
): Prepared {
  const columns = row.columns.map(({ name }) => sql`${column('p', name)} as ${sql.id(name)}`)
  const isAllowed = fulfils(context, resource, action, 'p', sql`select ${join(columns)}`) ?? sql`true`
  const answer = sql`case when ${isAllowed} then ${constant(ALLOWED)} end`
  return prepare(context.db, sql`select ${answer} as allowed from ${planned} as ${sql.id('p')}`)
}
