import { type Kysely, sql } from 'kysely'
import type { DatabaseName } from '../../model/database-name.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tables come from descriptors at run time; Kysely's own type for "any database"
export type AnyKysely = Kysely<any>

/**
 * Which database a Kysely instance speaks to, told by what its adapter can do.
 *
 * @throws TypeError for a database that is not supported, and for what is no Kysely instance.
 */
export function databaseOf(db: AnyKysely): DatabaseName {
  if (typeof (db as Partial<AnyKysely> | undefined)?.getExecutor !== 'function') {
    throw new TypeError(
      'db: must be a Kysely instance, such as new Kysely({ dialect: new SqliteDialect({ database }) })',
    )
  }
  const { adapter } = db.getExecutor()
  if (adapter.supportsReturning && adapter.supportsTransactionalDdl) return 'postgres'
  if (adapter.supportsReturning) return 'sqlite'
  throw new TypeError(`only SQLite and PostgreSQL are supported, not ${adapter.constructor.name}`)
}

/**
 * The name that a table or column has in the database once the instance's own plugins (`CamelCasePlugin`, …) have
 * seen it.
 */
export function nameInDatabase(db: AnyKysely, name: string): string {
  const quoted = sql`${sql.id(name)}`.compile(db).sql
  const inDatabase = quoted.slice(1, -1).replaceAll('""', '"')
  return databaseOf(db) === 'postgres' ? cutName(inDatabase) : inDatabase
}

/** PostgreSQL cuts names after this many bytes, in silence. */
export const MAX_NAME_BYTES = 63

/** As many whole characters of a name as fit into the given bytes. */
export function cutName(name: string, bytes: number = MAX_NAME_BYTES): string {
  if (Buffer.byteLength(name) <= bytes) return name
  const characters = [...name]
  while (Buffer.byteLength(characters.join('')) > bytes) characters.pop()
  return characters.join('')
}
