import { sql } from 'kysely'
import { type Condition, comparisonsIn } from '../../asking/condition.ts'
import { isForeignKey, type Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { keyOfRows } from '../rows/whose-rows.ts'
import { column, combined, join, rowValue, type Sql, slot } from '../text/sql-text.ts'
import { keyColumns, NUMBER, searchNames, tableOf, wordsColumn } from '../text/stored-rows.ts'

/** Rows that an index finds for the words of a search. */
export interface Candidates {
  /** A query of their ids, with all that tells one row from the others. */
  readonly ids: Sql
  /** The same of the row of the alias. */
  readonly id: Sql
  /** Whether the index finds a row that has the words; undefined: always. */
  readonly isFound: Sql | undefined
}

/**
 * Those that a search table finds for the row of an alias; undefined where it cannot tell which these are. Some may
 * have the words no longer, as SQLite runs no trigger for the row that `insert or replace` removes. `match`: the slot
 * with {@link matchedBy}.
 */
export function candidatesInTable(
  context: QueryContext,
  resource: Resource,
  alias: string,
  condition: Condition,
  match: string,
): Candidates | undefined {
  if (!context.dialect.hasSearchTables || matchedBy(context, condition) === undefined) return undefined
  const { names, isAskers } = keyOfRows(context, resource)
  const { words, rows } = searchNames(tableOf(context, resource).inDatabase)
  const ids = keyColumns(names).map((one) => sql`${named(rows)}.${named(one)}`)
  const values = names.map((one) => column(alias, one))
  const found = sql`${named(words)} match ${slot(match)}`
  // SQLite joins in the order that is written: it reads no further than a limit says, and looks up a single row.
  const joined = sql`on ${named(rows)}.${named(NUMBER)} = ${named(words)}.rowid`
  // The plus takes the type away from the column, which SQLite would give to the id: then no index would serve.
  const isRow = ids.map((one, position) => sql`${one} = +${values[position] as Sql}`)
  const isWanted = join([found, ...isAskers(ids)], sql` and `)
  const isHit = sql`exists (select 1 from ${named(rows)} cross join ${named(words)} ${joined} where ${join(isRow, sql` and `)} and ${found})`
  return {
    ids: sql`select ${join(ids)} from ${named(words)} cross join ${named(rows)} ${joined} where ${isWanted}`,
    id: rowValue(values as [Sql, ...Sql[]]),
    // FTS5 knows the letters of ASCII, so that it need not be asked.
    isFound: sql`((${combined(areAscii(condition, alias), sql` and `)}) or ${isHit})`,
  }
}

/** Whether texts have a byte for each character, or are null. */
function areAscii(condition: Condition, alias: string): readonly Sql[] {
  const fields = comparisonsIn(condition).flatMap(({ operand }) => (operand.kind === 'member' ? [operand.member] : []))
  return [...new Set(fields.flatMap((one) => ('column' in one ? [one.column] : [])))].map((name) => {
    const text = column(alias, name)
    return sql`length(cast(${text} as blob)) is length(${text})`
  })
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
