import { sql } from 'kysely'
import type { PlannedRow } from '../../plan/decide/planned-rows.ts'
import type { QueryContext } from '../context.ts'
import type { Once } from '../once.ts'
import { type Prepared, prepare } from '../prepare.ts'
import { fulfils } from '../shown-rows.ts'
import { column, constant, join, slot } from '../sql-text.ts'
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
  const row = join(rows.columns.map(({ name }) => sql`${column('p', name)} as ${sql.id(name)}`))
  const isAllowed = fulfils(context, resource, action, 'p', sql`select ${row}`) ?? sql`true`
  const planned = dialect.rows(slot(0), rows, 'joined')
  const answer = sql`case when ${isAllowed} then ${constant(ALLOWED)} end`
  const query = once(`plans ${action}:${resource.key}`, () =>
    prepare(db, sql`select ${answer} as allowed from ${planned} as ${sql.id('p')}`),
  )
  return { query, values: [dialect.encodeRows([values], rows)] }
}
