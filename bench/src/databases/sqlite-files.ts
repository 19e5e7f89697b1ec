import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTables } from 'fastify-crud'
import { Kysely, SqliteDialect } from 'kysely'
import { resources } from '../resources.ts'
import type { BenchDatabase, DatabaseServer } from './bench-database.ts'
import { openSqlite } from './open-sqlite.ts'
import { seedSqlite } from './seed-sqlite.ts'

/** SQLite files in a temporary folder. */
export async function sqliteFiles(): Promise<DatabaseServer> {
  const folder = await mkdtemp(join(tmpdir(), 'fastify-crud-bench-'))
  return {
    name: 'sqlite',
    open: (name) => openFile(join(folder, `${name}.sqlite`)),
    stop: () => rm(folder, { recursive: true, force: true }),
  }
}

const names = { parent: 'parent', child: 'child', id: 'id', foreignKey: '"parentId"' }

async function openFile(location: string): Promise<BenchDatabase> {
  const database = openSqlite(location)
  await createTables(new Kysely({ dialect: new SqliteDialect({ database }) }), resources)
  const rowsOf = (table: string) =>
    database
      .prepare(`select * from ${table} order by id`)
      .all()
      .map((row) => JSON.stringify(row))
  return {
    location,
    reset: async (records) => seedSqlite(database, names, records),
    rows: async () => ({ parent: rowsOf('parent'), child: rowsOf('child') }),
    async remove() {
      database.close()
    },
  }
}
