import { sql } from 'kysely'

/** True, and the planner takes it for 100 times the cost of a comparison. */
export const EXPENSIVE_TRUE = sql`pg_catalog.to_tsvector('') is not null`
