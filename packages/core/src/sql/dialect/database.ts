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
  const whole = wholeName(db, name)
  return databaseOf(db) === 'postgres' ? cutName(whole) : whole
}

function wholeName(db: AnyKysely, name: string): string {
  const quoted = sql`${sql.id(name)}`.compile(db).sql
  return quoted.slice(1, -1).replaceAll('""', '"')
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

/** PostgreSQL's own columns of each table; what SQLite reads as a value where a subquery has such a column. */
const OWN_COLUMNS: Readonly<Record<DatabaseName, RegExp>> = {
  postgres: /^(?:tableoid|xmin|cmin|xmax|cmax|ctid)$/,
  sqlite: /^(?:true|false)$/i,
}

/** Why a table cannot have these columns in the database; empty if it can. */
export function problemsOfColumns(db: AnyKysely, columns: readonly string[]): readonly string[] {
  const seen = new Map<string, string>()
  return columns.flatMap((column) => {
    const name = nameInDatabase(db, column)
    const same = seen.get(name)
    seen.set(name, column)
    if (OWN_COLUMNS[databaseOf(db)].test(name)) {
      return [`the database takes the name '${name}' for its own: give the column another one by 'columns'`]
    }
    if (same === undefined || same === column) return []
    const why = wholeName(db, column) === name ? '' : `: PostgreSQL keeps ${MAX_NAME_BYTES} bytes of a name`
    return [`'${same}' and '${column}' are both called '${name}' in the database${why}`]
  })
}
