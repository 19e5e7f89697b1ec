import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PGlite } from '@electric-sql/pglite'
import { openNodeSqlite } from 'fastify-crud/node-sqlite'
import { Kysely, PGliteDialect } from 'kysely'
import { PostgresJSDialect } from 'kysely-postgres-js'
import postgres from 'postgres'
import { inject } from 'vitest'
import type { OpenDatabase, OpenOptions, Setup } from './databases.ts'
import { takePostgresDatabase } from './postgres-database.ts'
import { statementLog } from './statement-log.ts'
import { emptyTables, type TestKysely } from './tables.ts'

const common = { name: 'postgres', isDirect: false, isBatched: false } as const

/** Drivers for PostgreSQL other than `pg`, by Kysely dialects that have no `keepStatements`, and that of Node.js for SQLite. */
export const otherDrivers: readonly Setup[] = [
  { ...common, title: 'PGlite', open: openPglite },
  { ...common, title: 'postgres.js', open: openPostgresJs },
  { name: 'sqlite', title: 'node:sqlite', isDirect: true, isBatched: false, open: openNode },
]

/** It takes longer to start than most tests: those of a worker use one after the other, and leave it without tables. */
const free: PGlite[] = []

async function openPglite({ plugins = [] }: OpenOptions = {}): Promise<OpenDatabase> {
  const pglite = free.pop() ?? (await PGlite.create())
  const statements = statementLog()
  const db: TestKysely = new Kysely({ dialect: new PGliteDialect({ pglite }), plugins, log: statements.logger })
  return {
    name: 'postgres',
    db,
    get location(): string {
      throw new Error('PGlite takes no second connection')
    },
    statements,
    empty: () => emptyTables('postgres', db),
    async close() {
      await pglite.exec('drop schema public cascade; create schema public')
      free.push(pglite)
    },
  }
}

async function openPostgresJs({ plugins = [], tablesOf }: OpenOptions = {}): Promise<OpenDatabase> {
  const { url, giveBack, ...tables } = await takePostgresDatabase(tablesOf)
  const dialect = new PostgresJSDialect({ postgres: postgres(url, { max: 5, onnotice: () => {} }) })
  const statements = statementLog()
  const db: TestKysely = new Kysely({ dialect, plugins, log: statements.logger })
  return {
    ...tables,
    name: 'postgres',
    db,
    location: url,
    statements,
    empty: () => emptyTables('postgres', db),
    async close() {
      await db.destroy()
      await giveBack()
    },
  }
}

async function openNode({ plugins = [] }: OpenOptions = {}): Promise<OpenDatabase> {
  const location = join(await mkdtemp(join(inject('sqliteFolder'), 'node-')), 'test.sqlite')
  const statements = statementLog()
  const database = new DatabaseSync(location)
  database.exec('pragma journal_mode = wal; pragma synchronous = off')
  const prepare = database.prepare.bind(database)
  database.prepare = (text, ...others) => {
    statements.note(text)
    return prepare(text, ...others)
  }
  const db: TestKysely = openNodeSqlite(database, { plugins })
  return {
    name: 'sqlite',
    db,
    location,
    statements,
    empty: () => emptyTables('sqlite', db),
    close: () => db.destroy(),
  }
}
