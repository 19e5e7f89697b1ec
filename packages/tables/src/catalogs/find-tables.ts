import type { AnyKysely } from '@fastify-crud/core'
import { databaseOf } from '@fastify-crud/core/internal'
import { findPostgresTables } from './find-postgres-tables.ts'
import { findSqliteTables } from './find-sqlite-tables.ts'
import type { FoundTables, SoughtTable } from './found-tables.ts'

/** Reads the catalogs, in a few queries whatever the number of tables. The names of the sought tables are the database's. */
export function findTables(db: AnyKysely, tables: readonly SoughtTable[]): Promise<FoundTables> {
  const withoutPlugins = db.withoutPlugins()
  return databaseOf(db) === 'postgres'
    ? findPostgresTables(withoutPlugins, tables)
    : findSqliteTables(withoutPlugins, tables)
}
