import { sql } from 'kysely'
import type { Sql } from '../../text/sql-text.ts'

/**
 * A parameter as a subquery, so that PostgreSQL's planner does not see its value. It would plan the statement again at each
 * execution if the value promised less work than the planner expects of an unknown one.
 */
export function hideFromPlanner(parameter: Sql): Sql {
  return sql`(select ${parameter})`
}
