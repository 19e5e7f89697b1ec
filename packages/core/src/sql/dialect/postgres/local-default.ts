import { sql } from 'kysely'
import type { Stored } from '../../../model/descriptors/stored.ts'
import type { Sql } from '../../text/sql-text.ts'

/** What PostgreSQL turns into the time of the session's zone where it stands in a `timestamp`. */
const NOW = /\b(?:now\(\)|current_timestamp|localtimestamp|(?:transaction|statement|clock)_timestamp\(\)|'now')/i
const AT_ZONE = /at time zone|timezone\(/i

/** Whether the default of a `timestamp` is the time of the session's zone. */
export function isLocalDefault(expression: string): boolean {
  return NOW.test(expression) && !AT_ZONE.test(expression)
}

/**
 * Such a default as the column counts its times, in UTC or in a zone. What it gives for the session is the same moment as a `timestamptz`.
 * `expression`: as the catalog has it.
 */
export function defaultInZone(expression: string, stored: Stored | undefined): Sql {
  const zone = typeof stored === 'object' ? stored.zone : 'UTC'
  return sql`((${sql.raw(expression)})::timestamptz at time zone ${sql.lit(zone)})`
}
