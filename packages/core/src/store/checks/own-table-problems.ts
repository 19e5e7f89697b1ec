import { sql } from 'kysely'
import { isUnknownTable } from '../../connection/database-errors.ts'
import { anySession } from '../../connection/session-pool.ts'
import type { QueryContext } from '../../query/context.ts'
import { NUMBERS_TABLE, ownTableMissing } from '../../query/text/own-tables.ts'
import { prepare } from '../../query/text/prepare.ts'
import type { ActiveRules } from '../../rules/active-rules.ts'

/** The tables of the library that rules need, and the database does not have. Rejects where the database cannot be asked. */
export async function ownTableProblems(
  { db, names }: QueryContext,
  rules: Pick<ActiveRules, 'scope'> | undefined,
): Promise<readonly string[]> {
  if (rules === undefined || rules.scope.numbered.size === 0) return []
  try {
    await anySession(db).rows(prepare(db, sql`select 1 from ${names.table(NUMBERS_TABLE).sql} where 1 = 0`), [])
    return []
  } catch (error) {
    if (!isUnknownTable(error, NUMBERS_TABLE)) throw error
    return [`rules: numbers: ${ownTableMissing(NUMBERS_TABLE)}`]
  }
}
