import { sql } from 'kysely'
import type { Sql } from '../../text/sql-text.ts'

/**
 * A subquery of one row for a row of `pg_type`: the type below a domain, or below a domain of a domain. `oid` is the type itself where that is
 * no domain, `modifier` then -1; `required` says whether one of the domains is `not null`.
 */
export function baseType(type: Sql): Sql {
  return sql`(with recursive domain(oid, below, modifier, required) as (
      select ${type}.oid, ${type}.typbasetype, ${type}.typtypmod, ${type}.typnotnull
      union all
      select t.oid, t.typbasetype, t.typtypmod, t.typnotnull from domain join pg_type t on t.oid = domain.below where domain.below <> 0
    ) select max(oid::int8) filter (where below = 0)::oid as oid, max(modifier) as modifier, bool_or(required) as required from domain)`
}
