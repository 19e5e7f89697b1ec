import { sql } from 'kysely'
import type { Comparing } from '../../asking/condition.ts'
import { unionsIn } from '../../asking/condition.ts'
import type { ListQuery } from '../../asking/list-query.ts'
import type { RecordQuery } from '../../asking/record-query.ts'
import type { Resource } from '../../model/model.ts'
import { printsIso } from '../../session/drivers/driver-features.ts'
import { foldsAllLetters } from '../../session/sqlite/folds-all-letters.ts'
import type { QueryContext } from '../../sql/context.ts'
import { keptForDatabase } from '../../sql/dialect/kept-for-database.ts'
import { searchNames, tableOf } from '../../sql/text/stored-rows.ts'

/** What a query says of how it compares. */
export type ComparingQuery = Pick<RecordQuery, 'foldsCase' | 'dependsOnTypes'> & Partial<Pick<ListQuery, 'condition'>>

/** Whether a query is compiled with something that the database has to be asked for. */
export function asksHow({ foldsCase, dependsOnTypes }: ComparingQuery): boolean {
  return foldsCase || dependsOnTypes
}

/** What the database says of how it compares, as far as the query needs it. `learnTypes`: see `typesLearner`. */
export async function howToCompare(
  context: QueryContext,
  { foldsCase, dependsOnTypes, condition }: ComparingQuery,
  learnTypes: (() => Promise<void> | undefined) | undefined,
): Promise<Comparing> {
  const { db } = context
  const searched = condition && unionsIn(condition)[0]?.resource
  if (dependsOnTypes) await learnTypes?.()
  return {
    foldsAll: foldsCase && (await foldsAllLetters(db)),
    printsIso: !dependsOnTypes || (await printsIso(db)),
    findsParts: searched !== undefined && (await findsParts(context, searched)),
  }
}

/** The tables that were found to have an index for searches. */
const known = keptForDatabase(() => new Set<string>())

/**
 * Whether an index finds the records of a resource with a part of a text. On SQLite, one that was found is not looked
 * for again. Before, a search reads the whole table anyway.
 */
async function findsParts(context: QueryContext, resource: Resource): Promise<boolean> {
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
