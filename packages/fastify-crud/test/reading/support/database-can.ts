import { sql } from 'kysely'
import type { Setup } from '../../../../../test/support/databases.ts'
import type { TestKysely } from '../../../../../test/support/tables.ts'

/** Only `openSqlite` gives SQLite the function that compares decimals. */
export function comparesDecimals({ name, isDirect }: Setup): boolean {
  return name === 'postgres' || isDirect
}

/** Whether the case-insensitive operators fold all letters, or those of ASCII only. */
export async function foldsAllLetters({ name, isDirect }: Setup, db: TestKysely): Promise<boolean> {
  if (name === 'sqlite') return isDirect
  const query = sql<{ version: string }>`select current_setting('server_version_num') as version`
  const { rows } = await query.execute(db)
  return Number(rows[0]?.version) >= 170_000
}
