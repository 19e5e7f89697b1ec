import { sql } from 'kysely'
import type { Sql } from '../../text/sql-text.ts'

/** The type of a value; of a domain, the type below it. */
export function typeOf(value: Sql): Sql {
  return sql`pg_typeof(${baseValue(value)})`
}

/** A value of a domain as one of the type below it, which is how `coalesce` takes values of two types. No index serves it. */
export function baseValue(value: Sql): Sql {
  return sql`coalesce(${value}, null)`
}
