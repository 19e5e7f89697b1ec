import type { DatabaseName } from '../databases/bench-database.ts'
import type { RoundTrips } from '../round-trips.ts'
import type { SideName } from '../sides.ts'
import type { WorkResult } from './to-results.ts'
import { type Column, rateColumn, ratioColumn, toTable } from './to-table.ts'

export interface DatabaseResult {
  readonly database: DatabaseName
  readonly works: readonly WorkResult[]
  /** PostgreSQL only: how often each side waits for the database, by work. */
  readonly roundTrips?: Readonly<Partial<Record<SideName, RoundTrips>>>
}

const DATABASES: Readonly<Record<DatabaseName, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

const DRIVERS: Readonly<Record<DatabaseName, string>> = { sqlite: 'better-sqlite3', postgres: 'pg' }

/** One database's results as a Markdown table. */
export function toDatabaseTable({ database, works, roundTrips }: DatabaseResult, sides: readonly SideName[]): string {
  const titles: Readonly<Record<SideName, string>> = {
    ours: 'fastify-crud',
    plain: 'fastify-crud, plain Kysely',
    guarded: `${DRIVERS[database]} by hand, guarded`,
    raw: `${DRIVERS[database]} by hand`,
    kysely: 'Kysely by hand',
  }
  const others = sides.includes('ours') ? sides.filter((side) => side !== 'ours') : []
  const trips = sides.map(
    (side): Column => ({
      title: `round trips: ${titles[side]}`,
      cell: ({ work }) => String(roundTrips?.[side]?.[work] ?? ''),
    }),
  )
  return toTable(DATABASES[database], works, [
    ...sides.map((side) => rateColumn(side, titles[side])),
    ...others.map((side) => ratioColumn(side, titles[side])),
    ...(roundTrips === undefined ? [] : trips),
  ])
}
