import { type DialectAdapter, sql } from 'kysely'
import { type AnyKysely, databaseOf } from '../query/dialect/database.ts'
import { hasFunctions } from '../query/dialect/sqlite-functions.ts'

/**
 * Whether the database knows the simple lower case of every letter: by `crud_lower` on SQLite, by `lower(… collate pg_c_utf8)` on
 * PostgreSQL. If not, only that of ASCII is the same everywhere (`lower(…)` on SQLite, `lower(… collate "C")` on PostgreSQL).
 *
 * PostgreSQL is asked once for each Kysely instance.
 */
export function foldsAllLetters(db: AnyKysely): Promise<boolean> {
  if (databaseOf(db) === 'sqlite') return Promise.resolve(hasFunctions(db))
  const { adapter } = db.getExecutor()
  let answer = answers.get(adapter)
  if (answer === undefined) {
    answer = hasCollation(db)
    answers.set(adapter, answer)
    // A server that could not be asked is asked again.
    answer.catch(() => answers.delete(adapter))
  }
  return answer
}

/** By the adapter, which an instance shares with its transactions and copies. */
const answers = new WeakMap<DialectAdapter, Promise<boolean>>()

/** The collation is in PostgreSQL from 17 on, and can be used in databases in UTF-8. */
async function hasCollation(db: AnyKysely): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (
      select from pg_catalog.pg_collation as c
      join pg_catalog.pg_database as d on d.encoding = c.collencoding
      where c.collname = 'pg_c_utf8' and c.collnamespace = 'pg_catalog'::regnamespace and d.datname = current_database()
    ) as has`.execute(db.withoutPlugins())
  return rows[0]?.has === true
}
