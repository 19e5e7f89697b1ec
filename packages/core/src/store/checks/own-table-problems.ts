import { sql } from 'kysely'
import type { ActiveRules } from '../../rules/active-rules.ts'
import { isUnknownTable } from '../../session/database-errors.ts'
import { anySession } from '../../session/session-pool.ts'
import type { QueryContext } from '../../sql/context.ts'
import { NUMBERS_TABLE, ownTableMissing } from '../../sql/text/own-tables.ts'
import { prepare } from '../../sql/text/prepare.ts'

/** The tables of the library that rules need, and the database does not have. Rejects where the database cannot be asked. */
export async function ownTableProblems(
  context: QueryContext,
  rules: Pick<ActiveRules, 'scope'> | undefined,
): Promise<readonly string[]> {
  const isNeeded = rules !== undefined && rules.scope.numbered.size > 0
  if (!isNeeded || (await hasOwnTable(context, NUMBERS_TABLE))) return []
  return [`rules: numbers: ${ownTableMissing(NUMBERS_TABLE)}`]
}

/** Whether the database has a table of the library. Rejects where the database cannot be asked. */
export async function hasOwnTable({ db, names }: QueryContext, table: string): Promise<boolean> {
  try {
    await anySession(db).rows(prepare(db, sql`select 1 from ${names.table(table).sql} where 1 = 0`), [])
    return true
  } catch (error) {
    if (isUnknownTable(error, table)) return false
    throw error
  }
}
