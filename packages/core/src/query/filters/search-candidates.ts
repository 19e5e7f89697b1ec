import { sql } from 'kysely'
import { isForeignKey, type Resource } from '../../model/model.ts'
import type { Condition } from '../../reading/condition.ts'
import type { QueryContext } from '../context.ts'
import { rowValue } from '../text/row-value.ts'
import { keyColumns, NUMBER, searchNames, wordsColumn } from '../text/search-table.ts'
import { column, join, type Sql, slot } from '../text/sql-text.ts'
import { tableOf } from '../text/stored-rows.ts'

/**
 * That a row is one of those that a search table finds. Some of these may have the words no longer, as SQLite runs no trigger for the row that
 * `insert or replace` removes. `match`: the slot with {@link matchedBy}. None where there are no such tables.
 */
export function searchCandidates(
  context: QueryContext,
  resource: Resource,
  alias: string,
  match: string,
): readonly Sql[] {
  if (!context.dialect.hasSearchTables) return []
  const { tenant, idColumns } = resource
  const ofTenant = tenant === undefined || tenant.isOwnId ? [] : [tenant.column]
  const key = [...ofTenant, ...idColumns.filter((one) => !ofTenant.includes(one))]
  const { words, rows } = searchNames(tableOf(context, resource).inDatabase)
  const table = named(words)
  const numbers = sql`select rowid from ${table} where ${table} match ${slot(match)}`
  const row = rowValue(key.map((one) => column(alias, one)) as [Sql, ...Sql[]])
  const found = join(keyColumns(key).map(named))
  return [sql`${row} in (select ${found} from ${named(rows)} where ${named(NUMBER)} in (${numbers}))`]
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
