import { sql } from 'kysely'
import type { Sql } from '../../text/sql-text.ts'

/** The type of a value; of a domain, the type below it. */
export function typeOf(value: Sql): Sql {
  return sql`pg_typeof(${baseValue(value)})`
}

/** A value of a domain as one of the type below it, which is how `coalesce` takes values of two types. No index serves
 * it. */
export function baseValue(value: Sql): Sql {
  return sql`coalesce(${value}, null)`
}

/**
 * A subquery of one row for a row of `pg_type`: the type below a domain, or below a domain of a domain. `oid` is the
 * type itself where that is no domain, `modifier` then -1; `required` says whether one of the domains is `not null`.
 */
export function baseType(type: Sql): Sql {
  return sql`(with recursive domain(oid, below, modifier, required) as (
      select ${type}.oid, ${type}.typbasetype, ${type}.typtypmod, ${type}.typnotnull
      union all
      select t.oid, t.typbasetype, t.typtypmod, t.typnotnull from domain join pg_type t on t.oid = domain.below where domain.below <> 0
    ) select max(oid::int8) filter (where below = 0)::oid as oid, max(modifier) as modifier, bool_or(required) as required from domain)`
}

/**
 * A parameter as a subquery, so that PostgreSQL's planner does not see its value. It would plan the statement again at
 * each execution if the value promised less work than the planner expects of an unknown one.
 */
export function hideFromPlanner(parameter: Sql): Sql {
  return sql`(select ${parameter})`
}
