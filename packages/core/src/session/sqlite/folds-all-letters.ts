import { sql } from 'kysely'
import { type AnyKysely, databaseOf } from '../../sql/dialect/database.ts'
import { hasFunctions } from '../../sql/dialect/sqlite/sqlite-functions.ts'
import { askOnce } from '../drivers/driver-features.ts'

/**
 * Whether the database knows the simple lower case of every letter: by `crud_lower` on SQLite, by
 * `lower(… collate pg_c_utf8)` on PostgreSQL. If not, only that of ASCII is the same everywhere (`lower(…)` on SQLite,
 * `lower(… collate "C")` on PostgreSQL).
 *
 * PostgreSQL is asked once for each Kysely instance.
 */
export function foldsAllLetters(db: AnyKysely): Promise<boolean> {
  if (databaseOf(db) === 'sqlite') return Promise.resolve(hasFunctions(db))
  return hasCollation(db)
}

/** The collation is in PostgreSQL from 17 on, and can be used in databases in UTF-8. */
const hasCollation = askOnce(async (db) => {
  const { rows } = await sql<{ has: boolean }>`
    select exists (
      select from pg_catalog.pg_collation as c
      join pg_catalog.pg_database as d on d.encoding = c.collencoding
      where c.collname = 'pg_c_utf8' and c.collnamespace = 'pg_catalog'::regnamespace and d.datname = current_database()
    ) as has`.execute(db.withoutPlugins())
  return rows[0]?.has === true
})
