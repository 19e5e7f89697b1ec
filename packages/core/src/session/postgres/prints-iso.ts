import { sql } from 'kysely'
import { type AnyKysely, databaseOf } from '../../sql/dialect/database.ts'
import { askOnce } from '../drivers/ask-once.ts'

/**
 * Whether the sessions of a database print moments as ISO 8601 does: `DateStyle` of PostgreSQL, which the server, the database or the
 * role may set. PostgreSQL is asked once for each Kysely instance.
 */
export function printsIso(db: AnyKysely): Promise<boolean> {
  return databaseOf(db) === 'sqlite' ? Promise.resolve(true) : hasIsoStyle(db)
}

const hasIsoStyle = askOnce(async (db) => {
  const { rows } = await sql<{ style: string }>`select current_setting('DateStyle') as style`.execute(
    db.withoutPlugins(),
  )
  return rows[0]?.style.startsWith('ISO') === true
})
