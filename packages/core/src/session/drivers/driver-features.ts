import { CompiledQuery } from 'kysely'
import { type AnyKysely, databaseOf } from '../../sql/dialect/database.ts'
import type { Row } from '../../sql/text/prepare.ts'
import type { Pipeline } from '../postgres/pipeline/index.ts'
import type { DirectDatabase } from '../sqlite/direct-database.ts'
import type { Turns } from './turns.ts'

/**
 * The query that asks a driver for its {@link DriverFeatures}. A driver made by `keepStatements` answers it itself, in the column
 * `features`. From any other driver, the database answers with null.
 */
export const FEATURES_QUERY = 'select null as features'

/** What a driver offers beyond what Kysely's dialect uses. */
export interface DriverFeatures {
  /** PostgreSQL: sends several statements of this connection in one message. */
  readonly pipeline?: Pipeline | undefined
  /** PostgreSQL: the turns of reads that may take long, on all connections of the pool. */
  readonly turns?: Turns | undefined
  /** PostgreSQL: the turns of all but reads by ids, so that one connection is always for these. */
  readonly othersTurns?: Turns | undefined
  /** PostgreSQL: cancels the statement that runs on this connection, which nobody can use again then. */
  readonly cancel?: (() => Promise<void>) | undefined
  /** SQLite: the database itself, so that requests need not wait for Kysely's only connection. */
  readonly direct?: DirectDatabase | undefined
}

/** What a database and its driver say of themselves. */
export interface DatabaseFacts {
  /** The driver keeps its prepared statements, by `keepStatements`. */
  readonly keepsStatements: boolean
  /** What PostgreSQL calls the encoding of the database. Any but `UTF8` cannot store, fold or count all letters. Undefined on SQLite. */
  readonly encoding: string | undefined
}

/** Asks on one of the connections of a Kysely instance. */
export function factsOf(db: AnyKysely): Promise<DatabaseFacts> {
  return db.getExecutor().provideConnection(async (connection) => {
    const ask = async (sql: string) => (await connection.executeQuery<Row>(CompiledQuery.raw(sql))).rows[0] ?? {}
    const { features = null } = await ask(FEATURES_QUERY)
    const isPostgres = databaseOf(db) === 'postgres'
    const { name } = isPostgres ? await ask('select getdatabaseencoding() as name') : {}
    return { keepsStatements: features !== null, encoding: isPostgres ? String(name) : undefined }
  })
}
