import type { AnyKysely } from '@fastify-crud/core'
import {
  type DatabaseName,
  databaseOf,
  HISTORY_RECORDS_TABLE,
  HISTORY_TABLE,
  NUMBERS_TABLE,
  REPEATS_TABLE,
} from '@fastify-crud/core/internal'
import { sql } from 'kysely'
import { type DeleteAction, type FoundForeignKey, type FoundTable, primaryKeyOf } from '../../catalogs/found-tables.ts'
import { findTables, type ListedTable, listTables } from '../../catalogs/list-tables.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'

/** What `introspect` knows of a database: the tables of one schema, their rows as far as types do not tell, and the
 * foreign keys. */
export interface Catalog {
  readonly database: DatabaseName
  /** The schema that a descriptor has to name; undefined: queries find the tables without it. */
  readonly schema: string | undefined
  readonly timeZone: string | undefined
  /** By name. */
  readonly tables: ReadonlyMap<string, CatalogTable>
}

export interface CatalogTable extends Omit<ListedTable, 'columns'> {
  readonly found: FoundTable
  readonly described: ListedTable['columns']
  readonly primaryKey: readonly string[]
  readonly foreignKeys: readonly FoundForeignKey[]
  /** SQLite: some rows, because a declared type promises little. */
  readonly samples: readonly Readonly<Record<string, unknown>>[]
  /** Whether an integer of the primary key is too large for JavaScript's numbers. */
  readonly hasLargeIds: boolean
}

/** Those of the library itself. */
const OWN_TABLES = [NUMBERS_TABLE, REPEATS_TABLE, HISTORY_TABLE, HISTORY_RECORDS_TABLE]

/** As many rows of each table are looked at to see what its columns hold. */
const SAMPLES = 500

export async function readCatalog(instance: AnyKysely, schema: string | undefined): Promise<Catalog> {
  const db = instance.withoutPlugins()
  const database = databaseOf(db)
  if (database === 'sqlite' && schema !== undefined) throw new TypeError('introspect: SQLite has no schemas')
  const listed = (await listTables(db, schema)).filter(({ name }) => !OWN_TABLES.includes(name))
  const sought = listed.map(({ name }) => ({ key: name, schema, name, columns: [] }))
  const found = await findTables(db, sought)
  const foreignKeysOf = Map.groupBy(found.foreignKeys, ({ table }) => table)
  const tables = new Map<string, CatalogTable>()
  for (const listing of listed) {
    const { columns, ...one } = listing
    const table = found.tables.get(one.name)
    if (table === undefined) continue
    const primaryKey = primaryKeyOf(table)
    tables.set(one.name, {
      ...one,
      found: table,
      described: columns,
      primaryKey,
      foreignKeys: (foreignKeysOf.get(one.name) ?? []).map((key) => spelledAsInTables(key, found.tables)),
      samples: database === 'sqlite' ? await sampleOf(db, listing) : [],
      hasLargeIds: await hasLargeIds(db, schema, one.name, table, primaryKey),
    })
  }
  return { database, schema: await schemaToName(db, database, schema), timeZone: found.timeZone, tables }
}

/** SQLite ignores the case of names, so a foreign key may spell them otherwise than the tables do. */
function spelledAsInTables(key: FoundForeignKey, tables: ReadonlyMap<string, FoundTable>): FoundForeignKey {
  const spell = (table: string | undefined, column: string): string => {
    const columns = [...(tables.get(table ?? '')?.columns.keys() ?? [])]
    if (columns.includes(column)) return column
    return columns.find((name) => name.toLowerCase() === column.toLowerCase()) ?? column
  }
  return {
    ...key,
    columns: key.columns.map((column) => spell(key.table, column)),
    targetColumns: key.targetColumns.map((column) => spell(key.target, column)),
  }
}

async function sampleOf(db: AnyKysely, { name, kind }: ListedTable): Promise<CatalogTable['samples']> {
  if (kind === 'virtual table') return []
  const sample = sql<Record<string, unknown>>`select * from ${sql.raw(quoted(name))} limit ${sql.lit(SAMPLES)}`.execute(
    db,
  )
  if (kind === 'table') return (await sample).rows
  // A view may fail by itself. The check of its rows then says why.
  return await sample.then(
    ({ rows }) => rows,
    () => [],
  )
}

/** SQLite takes every type with these letters for one of integers. */
function canBeLarge(database: DatabaseName, type: string): boolean {
  return database === 'postgres' ? type === 'int8' : /int/i.test(type)
}

async function hasLargeIds(
  db: AnyKysely,
  schema: string | undefined,
  name: string,
  { columns }: FoundTable,
  primaryKey: readonly string[],
): Promise<boolean> {
  const database = databaseOf(db)
  const [only, another] = primaryKey
  const type = only === undefined || another !== undefined ? undefined : columns.get(only)?.type
  if (only === undefined || type === undefined || !canBeLarge(database, type)) return false
  const id = sql.raw(quoted(only))
  const table = sql.raw(quotedTable({ schema, name }))
  const { rows } = await sql<{ large: unknown }>`
    select max(${id}) > ${sql.lit(Number.MAX_SAFE_INTEGER)} as large from ${table}`.execute(db)
  return rows[0]?.large === true || rows[0]?.large === 1
}

/** PostgreSQL: the schema, unless its tables are found by the search path alone. */
async function schemaToName(
  db: AnyKysely,
  database: DatabaseName,
  schema: string | undefined,
): Promise<string | undefined> {
  if (database === 'sqlite' || schema === undefined) return undefined
  const { rows } = await sql<{ own: string | null }>`select current_schema() as own`.execute(db)
  return rows[0]?.own === schema ? undefined : schema
}

/** A foreign key of one column that names the primary key of another table, of one column as well. */
export interface SingleKey {
  readonly column: string
  /** The name of a table. */
  readonly target: string
  readonly onDelete: DeleteAction
}

/** The foreign keys of a table that relations can describe, the first for each column. */
export function singleKeys({ tables }: Catalog, table: CatalogTable): readonly SingleKey[] {
  const columns = new Set<string>()
  return table.foreignKeys.flatMap(({ columns: [column, another], target, targetColumns, onDelete }) => {
    const key = tables.get(target ?? '')?.primaryKey
    const isSingle = column !== undefined && another === undefined && target !== undefined
    if (!isSingle || columns.has(column) || key?.length !== 1 || key[0] !== targetColumns[0]) return []
    columns.add(column)
    return [{ column, target, onDelete }]
  })
}
