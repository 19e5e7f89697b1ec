import type { AnyKysely } from '@fastify-crud/core'
import {
  type ColumnsOfId,
  type DatabaseName,
  databaseOf,
  dialectOf,
  type IdKind,
  isGivenByInsert,
} from '@fastify-crud/core/internal'
import { type ColumnDefinitionBuilder, type CreateTableBuilder, type RawBuilder, sql } from 'kysely'
import type { FoundTables } from '../catalogs/found-tables.ts'
import { columnType } from '../layout/column-type.ts'
import {
  type ColumnLayout,
  type ForeignKeyLayout,
  type IdColumn,
  isIdColumn,
  qualifiedName,
  type TableLayout,
} from '../layout/table-layout.ts'
import { quoted, quotedTable } from '../quoted-names.ts'
import type { ConstraintNames } from './constraint-names.ts'

/** A foreign key with the table that it names. */
export interface ResolvedForeignKey extends ForeignKeyLayout {
  readonly to: TableLayout
}

/** The statement that creates a table with its keys, and with those of its foreign keys that are given. */
export function createTable(
  db: AnyKysely,
  table: TableLayout,
  foreignKeys: readonly ResolvedForeignKey[],
  nameOf: ConstraintNames,
): CreateTableBuilder<string, string> {
  const database = databaseOf(db)
  const columnsOf = ({ ids }: IdColumn): ColumnsOfId => dialectOf(db).ids[ids.stored].columns
  let builder: CreateTableBuilder<string, string> = db.schema.createTable(qualifiedName(table)).ifNotExists()
  const ownKey = table.columns.find((column) => isKeyByItself(column, table, database))
  for (const column of table.columns) {
    const counted = isCounted(column) ? columnsOf(column).countedType : undefined
    const type = counted ?? sql.raw(columnDefinition(database, column))
    builder = builder.addColumn(column.name, type, (definition) =>
      define(definition, column, columnsOf, column === ownKey),
    )
  }
  if (ownKey !== undefined && table.primaryKey.length > 1) {
    builder = builder.addUniqueConstraint(nameOf(table, 'key', table.primaryKey), [...table.primaryKey])
  }
  if (ownKey === undefined) {
    builder = builder.addPrimaryKeyConstraint(nameOf(table, 'pkey', []), [...table.primaryKey])
  }
  for (const { columns, where, needsDeferral } of table.uniques) {
    // Only an index can be partial.
    if (where.length > 0) continue
    const name = nameOf(table, 'key', columns)
    builder = builder.addUniqueConstraint(name, [...columns], (key) =>
      needsDeferral && database === 'postgres' ? key.deferrable().initiallyImmediate() : key,
    )
  }
  if (table.owners !== undefined) {
    const { columns, optional } = table.owners
    builder = builder.addCheckConstraint(nameOf(table, 'check', columns), hasOneOf(columns, optional))
  }
  for (const { column, columns, to, targetColumns } of foreignKeys) {
    const name = nameOf(table, 'fkey', [column])
    builder = builder.addForeignKeyConstraint(name, [...columns], qualifiedName(to), [...targetColumns])
  }
  return builder
}

/** The type of a column. Texts sort by code point, as SQLite's do. */
function columnDefinition(database: DatabaseName, column: ColumnLayout): string {
  const type = columnType(database, column)
  return database === 'postgres' && type === 'text' ? 'text collate "C"' : type
}

/**
 * Whether a column is the primary key by itself. Where keys begin with the tenant, it is so only for ids that SQLite
 * assigns, which are the numbers of its rows.
 */
export function isKeyByItself(
  column: ColumnLayout,
  { primaryKey }: Pick<TableLayout, 'primaryKey'>,
  database: DatabaseName,
): boolean {
  if (!isIdColumn(column) || column.kind !== 'id') return false
  return primaryKey.length === 1 || (database === 'sqlite' && isNumberOfRow(column.ids))
}

function define(
  definition: ColumnDefinitionBuilder,
  column: ColumnLayout,
  columnsOf: (column: IdColumn) => ColumnsOfId,
  isKey: boolean,
): ColumnDefinitionBuilder {
  if (column.kind === 'id') {
    const own = isKey ? definition.primaryKey() : definition.notNull()
    return columnsOf(column).define(own, column.ids)
  }
  return column.nullable ? definition : definition.notNull()
}

function isCounted(column: ColumnLayout): column is IdColumn {
  return column.kind === 'id' && column.ids.assignedBy === 'database'
}

function isNumberOfRow(ids: IdKind): boolean {
  return ids.assignedBy === 'database' && !isGivenByInsert(ids)
}

/** Exactly one of the columns is not null, or at most one. */
function hasOneOf(columns: readonly string[], optional: boolean): RawBuilder<boolean> {
  const counts = columns.map((column) => sql`case when ${sql.ref(column)} is null then 0 else 1 end`)
  return sql`${sql.join(counts, sql` + `)} ${optional ? sql`<=` : sql`=`} 1`
}

/** A foreign key in the statement that makes or changes a table. */
export function foreignKeyText(
  name: string,
  columns: readonly string[],
  to: TableLayout,
  targetColumns: readonly string[],
): string {
  const reference = `REFERENCES ${quotedTable(to)} (${quoted(...targetColumns)})`
  return `CONSTRAINT ${quoted(name)} FOREIGN KEY (${quoted(...columns)}) ${reference}`
}

/** A table to create. */
export interface PlannedTable {
  readonly table: TableLayout
  /** Foreign keys that it is created with. */
  readonly inline: readonly ResolvedForeignKey[]
  /** Those to tables that are created behind it. */
  readonly late: readonly ResolvedForeignKey[]
}

/** The tables that are missing, in the order in which they are created. `keysLast`: no table is created with foreign
 * keys to others. */
export function plannedTables(
  database: DatabaseName,
  tables: readonly TableLayout[],
  found: FoundTables,
  keysLast = false,
): readonly PlannedTable[] {
  const missing = tables.filter(({ isWritable, key }) => isWritable && !found.tables.has(key))
  const byKey = new Map(tables.map((table) => [table.key, table]))
  const waiting = new Set(missing.map(({ key }) => key))
  // SQLite takes a foreign key to a table that does not exist yet, and cannot add one later.
  const isInline = ({ target }: ResolvedForeignKey) => database === 'sqlite' || (!keysLast && !waiting.has(target))
  return missing.map((table) => {
    waiting.delete(table.key)
    const foreignKeys = table.foreignKeys
      .filter(({ isConstrained }) => isConstrained)
      .map((key) => ({ ...key, to: byKey.get(key.target) as TableLayout }))
    return { table, inline: foreignKeys.filter(isInline), late: foreignKeys.filter((key) => !isInline(key)) }
  })
}
