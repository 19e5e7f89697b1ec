import { sql } from 'kysely'
import type { Condition } from '../../asking/policies/rights.ts'
import type { Computed, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { computedSql } from '../filters/computed-sql.ts'
import { ruleSql } from '../rows/row-rule.ts'
import { rowId } from '../text/id-sql-of.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { join, type Sql } from '../text/sql-text.ts'
import { storedRows } from '../text/stored-rows.ts'

const ROW = 't0'

/** A policy's condition as a query that has the database check its names and types. */
export function checkOfCondition(context: QueryContext, resource: Resource, condition: Condition): Sql {
  const row = { resource, alias: ROW, row: undefined }
  const holds = ruleSql(context, row, [condition], {
    // The other policy has a check of its own. Here only the id is of interest.
    otherPolicy({ resource: target }, { sql: id }, alias) {
      return sql`(${id}) in (select ${rowId(target, alias)} ${storedRows(context, target, alias).from()})`
    },
  }) as Sql
  return sql`exists (select 1 ${storedRows(context, resource, ROW).from(holds)})`
}

/** The same for the expression of a computed field. */
export function checkOfComputed(context: QueryContext, computed: Computed): Sql {
  return sql`(select ${computedSql(context, computed, ROW)} ${storedRows(context, computed.source, ROW).from()})`
}

/**
 * A statement that has the database look at queries and run none of them. PostgreSQL does not even plan them, so it calls none of the
 * functions in them: those of row level security may fail without the settings of a request.
 */
export function checkStatement({ db }: QueryContext, queries: readonly Sql[]): Prepared {
  const columns = queries.map((query, index) => sql`case when false then ${query} end as ${sql.id(`c${index}`)}`)
  return prepare(db, sql`select ${join(columns)}`)
}
