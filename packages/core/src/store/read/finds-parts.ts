import { sql } from 'kysely'
import type { Resource } from '../../model/model.ts'
import type { QueryContext } from '../../sql/context.ts'
import { keptForDatabase } from '../../sql/dialect/kept-for-database.ts'
import { searchNames } from '../../sql/text/search-table.ts'
import { tableOf } from '../../sql/text/stored-rows.ts'

/** The tables that were found to have an index for searches. */
const known = keptForDatabase(() => new Set<string>())

/**
 * Whether an index finds the records of a resource with a part of a text. On SQLite, one that was found is not looked for again. Before, a search
 * reads the whole table anyway.
 */
export async function findsParts(context: QueryContext, resource: Resource): Promise<boolean> {
  const { db, dialect } = context
  if (!dialect.hasSearchTables) return true
  const table = tableOf(context, resource).inDatabase
  const found = known(db)
  if (found.has(table)) return true
  const { words, rows, triggers } = searchNames(table)
  const names = [words, rows, ...Object.values(triggers)].map((name) => name.toLowerCase())
  const { rows: there } = await sql<{ name: string }>`
    select name from sqlite_schema where lower(name) in (select value from json_each(${JSON.stringify(names)}))`.execute(
    db.withoutPlugins(),
  )
  if (there.length < names.length) return false
  found.add(table)
  return true
}
