import { sql } from 'kysely'
import { isForeignKey, type Resource } from '../../model/model.ts'
import type { Condition } from '../../reading/condition.ts'
import type { QueryContext } from '../context.ts'
import { rowValue } from '../text/row-value.ts'
import { keyColumns, NUMBER, searchNames, wordsColumn } from '../text/search-table.ts'
import { column, join, type Sql, slot } from '../text/sql-text.ts'
import { tableOf } from '../text/stored-rows.ts'

/** Rows that an index finds for the words of a search. */
export interface Candidates {
  /** A query of their keys. */
  readonly keys: Sql
  /** The key of the row of the alias. */
  readonly key: Sql
}

/**
 * Those that a search table finds for the row of an alias; undefined where it cannot tell which these are. Some may have the words no longer,
 * as SQLite runs no trigger for the row that `insert or replace` removes. `match`: the slot with {@link matchedBy}.
 */
export function candidatesInTable(
  context: QueryContext,
  resource: Resource,
  alias: string,
  condition: Condition,
  match: string,
): Candidates | undefined {
  if (!context.dialect.hasSearchTables || matchedBy(context, condition) === undefined) return undefined
  const { tenant, idColumns } = resource
  const ofTenant = tenant === undefined || tenant.isOwnId ? [] : [tenant.column]
  const key = [...ofTenant, ...idColumns.filter((one) => !ofTenant.includes(one))]
  const names = searchNames(tableOf(context, resource).inDatabase)
  const [words, rows] = [named(names.words), named(names.rows)]
  const columns = keyColumns(key).map((one) => sql`${rows}.${named(one)}`)
  // SQLite joins in the order that is written, and so reads no further than a limit says.
  const found = sql`${words} cross join ${rows} on ${rows}.${named(NUMBER)} = ${words}.rowid`
  return {
    keys: sql`select ${join(columns)} from ${found} where ${words} match ${slot(match)}`,
    key: rowValue(key.map((one) => column(alias, one)) as [Sql, ...Sql[]]),
  }
}

/** What FTS5 is asked for; undefined where it cannot tell which rows match. */
export function matchedBy(context: QueryContext, condition: Condition): string | undefined {
  if (condition.kind === 'all' || condition.kind === 'any') {
    const parts = condition.conditions.map((one) => matchedBy(context, one))
    if (parts.length === 0 || parts.includes(undefined)) return undefined
    return parts.length === 1 ? parts[0] : `(${parts.join(condition.kind === 'all' ? ' AND ' : ' OR ')})`
  }
  if (condition.kind !== 'compare' || condition.comparator !== 'occurs') return undefined
  const { operand, value } = condition
  if (operand.kind !== 'member' || isForeignKey(operand.member) || operand.member.kind === 'computed') return undefined
  return `${inQuotes(wordsColumn(context.names.column(operand.member.column)))} : ${inQuotes(String(value))}`
}

/** No plugin changes it. */
function named(name: string): Sql {
  return sql.raw(inQuotes(name))
}

function inQuotes(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
