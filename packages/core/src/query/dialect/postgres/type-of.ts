import { sql } from 'kysely'
import type { Sql } from '../../text/sql-text.ts'

/** The type of a value; of a domain, the type below it, which is how `coalesce` takes values of two types. */
export function typeOf(value: Sql): Sql {
  return sql`pg_typeof(coalesce(${value}, null))`
}
