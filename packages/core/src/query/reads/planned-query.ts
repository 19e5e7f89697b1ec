import { sql } from 'kysely'
import type { Resource } from '../../model/model.ts'
import type { PlannedRow } from '../../plan/decide/planned-rows.ts'
import type { QueryContext } from '../context.ts'
import type { Once } from '../once.ts'
import { type Prepared, prepare } from '../prepare.ts'
import { fulfils } from '../shown-rows.ts'
import { storedRows } from '../source.ts'
import { column, constant, join, type Sql, slot } from '../sql-text.ts'
import { rowsOf } from '../steps/step-shape.ts'
import { ALLOWED } from './allowed-query.ts'

/** Asks a policy about a row that is not stored: the only column has {@link ALLOWED}, or something else. */
export interface PlannedQuery {
  readonly query: Prepared
  readonly values: readonly unknown[]
}

export function plannedQuery(
  context: QueryContext,
  { resource, action, values }: PlannedRow,
  once: Once,
): PlannedQuery {
  const { db, dialect } = context
  const rows = rowsOf(context, resource, true, [...resource.ownedBy, ...resource.members])
  const row = join(rows.columns.map(({ name }) => sql`${column('r', name)} as ${sql.id(name)}`))
  const isAllowed = fulfils(context, resource, action, 'r', sql`select ${row}`) ?? sql`true`
  const answer = sql`case when ${isAllowed} then ${constant(ALLOWED)} end`
  const planned = sql`${dialect.rows(slot(0), rows, 'joined')} as ${sql.id('p')}`
  const query = once(`plans ${action}:${resource.key}`, () => {
    const names = rows.columns.map(({ name }) => name)
    const given = action === 'Add' ? sql`select * from ${planned}` : withOwners(context, resource, names, planned)
    return prepare(db, sql`select ${answer} as allowed from (${given}) as ${sql.id('r')}`)
  })
  return { query, values: [dialect.encodeRows([values], rows)] }
}

/** A row that is changed keeps its owner, which the write need not know. */
function withOwners(context: QueryContext, resource: Resource, names: readonly string[], planned: Sql): Sql {
  const ownersKeys = new Set(resource.ownedBy.map((by) => by.column))
  const columns = names.map((name) => sql`${column(ownersKeys.has(name) ? 's' : 'p', name)} as ${sql.id(name)}`)
  const isSame = sql`${column('s', resource.idColumn)} = ${column('p', resource.idColumn)}`
  return sql`select ${join(columns)} from ${planned} join ${storedRows(context, resource, 's').joinedOn(isSame)}`
}
