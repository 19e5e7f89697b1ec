import { sql } from 'kysely'
import type { Link, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import type { Source } from './source.ts'
import { join, type Sql, type Table } from './sql-text.ts'

/**
 * All rows of a resource, or all links, that there are: for what the database itself will hold a write against (unique values,
 * foreign keys), for locks, and for the rows that a plan has chosen already. What a request names, or is answered with, comes from
 * `visibleRows`.
 */
export function storedRows(context: QueryContext, of: Resource | Link, alias?: string): Source {
  return rowsThat(context, of, alias, undefined)
}

/** The rows that fulfil a condition; undefined: all. */
export function rowsThat(
  context: QueryContext,
  of: Resource | Link,
  alias: string | undefined,
  condition: Sql | undefined,
): Source {
  return sourceOf(context.names.table(of.table).sql, alias, condition === undefined ? [] : [condition])
}

/** `insert into … (…)` */
export function insertInto(context: QueryContext, into: Resource | Link, columns: readonly string[]): Sql {
  const table = context.names.table(into.table).sql
  // `default values` stands behind the table itself.
  if (columns.length === 0) return sql`insert into ${table}`
  return sql`insert into ${table} (${join(columns.map((name) => sql.id(name)))})`
}

/** The table itself, for what is no query of its rows: their type, and the sequence of their ids. */
export function tableOf(context: QueryContext, of: Resource | Link): Table {
  return context.names.table(of.table)
}

/** `always`: the conditions that the rows fulfil in every query. */
export function sourceOf(table: Sql, alias: string | undefined, always: readonly Sql[] = []): Source {
  const name = alias === undefined ? table : sql.id(alias)
  const rows = alias === undefined ? table : sql`${table} as ${name}`
  const where = (conditions: readonly Sql[]) => {
    const all = [...conditions, ...always]
    return all.length === 0 ? sql`` : sql` where ${allOf(all)}`
  }
  return {
    name,
    from: (...conditions) => sql`from ${rows}${where(conditions)}`,
    joinedOn: (...conditions) => sql`${rows} on ${allOf([...conditions, ...always])}`,
    update: (assignments, ...conditions) => sql`update ${rows} set ${assignments}${where(conditions)}`,
    delete: (...conditions) => sql`delete from ${rows}${where(conditions)}`,
  }
}

function allOf(conditions: readonly Sql[]): Sql {
  return join(conditions, sql` and `)
}
