import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Introspection, introspect, type Model } from 'fastify-crud'
import { sql } from 'kysely'
import { buildApp, type TestApp } from '../../../../../test/support/app.ts'
import type { OpenDatabase, TestDatabase } from '../../../../../test/support/databases.ts'
import { toSqlite } from './to-sqlite.ts'

export interface IntrospectedService extends Introspection {
  /** Serves what the printed source exports. */
  readonly service: TestApp
  /** The type of a column, as PostgreSQL's catalog calls it. */
  readonly types: (table: string, column: string) => string | undefined
}

/** Runs DDL, introspects the tables, and serves them by the module that was printed. */
export async function serveIntrospected(database: TestDatabase, ddl: string): Promise<IntrospectedService> {
  const open = await database.open()
  try {
    await runDdl(open, ddl)
    const introspection = await introspect(open.db)
    const resources = await importSource(introspection.source)
    const service = await buildApp(database, resources, { tables: (other) => runDdl(other, ddl) })
    return { ...introspection, service, types: await typesOf(service) }
  } finally {
    await open.close()
  }
}

/** Published schemas, and one whose tables have a feature each. */
export const SCHEMAS = ['chinook', 'northwind', 'django', 'rails', 'prisma', 'features'] as const

/** A schema as DDL for that database. */
export function ddlFor(schema: (typeof SCHEMAS)[number], database: OpenDatabase['name']): string {
  const read = (name: string) => readFileSync(join(import.meta.dirname, 'schemas', `${name}.sql`), 'utf8')
  if (database === 'postgres') return read(schema)
  return schema === 'features' ? read('features-sqlite') : toSqlite(read(schema))
}

export async function runDdl({ db, name }: OpenDatabase, ddl: string): Promise<void> {
  if (name === 'postgres') await sql.raw(ddl).execute(db)
  else for (const statement of ddl.split(/;\n/)) if (statement.trim() !== '') await sql.raw(statement).execute(db)
}

/** What a module exports that has this source. Its folder is in the workspace, so that it finds the packages. */
async function importSource(source: string): Promise<Model> {
  const folder = await mkdtemp(join(import.meta.dirname, '.printed-'))
  try {
    const file = join(folder, 'resources.ts')
    await writeFile(file, source)
    const module: { readonly resources: Model } = await import(file)
    return module.resources
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function typesOf({ db, database }: TestApp): Promise<IntrospectedService['types']> {
  if (database.name === 'sqlite') return () => undefined
  const { rows } = await sql<{ name: string; type: string }>`
    select table_name || '.' || column_name as name, udt_name as type from information_schema.columns`.execute(db)
  const types = new Map(rows.map(({ name, type }) => [name, type]))
  return (table, column) => types.get(`${table}.${column}`)
}
