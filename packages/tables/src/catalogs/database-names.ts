import type { AnyKysely } from '@fastify-crud/core'
import { cutName, databaseOf, MAX_NAME_BYTES, nameInDatabase, problemsOfColumns } from '@fastify-crud/core/internal'
import { type SelectQueryNode, TableNode } from 'kysely'
import { type ColumnLayout, isIdColumn, qualifiedName, type TableLayout } from '../layout/table-layout.ts'

/**
 * A layout with every schema, table and column called as the database calls it, once the instance's own plugins
 * (`CamelCasePlugin`, `withSchema`, …) have seen the names.
 *
 * @throws TypeError if that gives two tables, or two columns of one table, the same name, a column one that the
 * database has for its own, or a schema to SQLite.
 */
export function toDatabaseNames(db: AnyKysely, tables: readonly TableLayout[]): readonly TableLayout[] {
  const database = databaseOf(db)
  const known = new Map<string, string>()
  const named = (name: string): string => {
    const seen = known.get(name)
    if (seen !== undefined) return seen
    const inDatabase = nameInDatabase(db, name)
    known.set(name, inDatabase)
    return inDatabase
  }
  const renamed = tables.map((table) => renameColumns({ ...table, ...tableName(db, table.name) }, named))
  if (database === 'sqlite' && renamed.some(({ schema }) => schema !== undefined)) {
    throw new TypeError('SQLite has no schemas: use the Kysely instance without withSchema, and tables without a dot')
  }
  refuseSame(renamed.map(qualifiedName))
  const problems = tables.flatMap((table) =>
    problemsOfColumns(
      db,
      table.columns.map(({ name }) => name),
    ).map((problem) => `${table.name}: ${problem}`),
  )
  if (problems.length > 0) throw new TypeError(problems.join('\n'))
  return renamed
}

function tableName(db: AnyKysely, name: string): Pick<TableLayout, 'schema' | 'name'> {
  // The plugins have seen what a builder makes of itself.
  const query = db.selectFrom(name).selectAll().toOperationNode() as SelectQueryNode
  const [from] = query.from?.froms ?? []
  if (from === undefined || !TableNode.is(from)) throw new TypeError(`'${name}' is not the name of a table`)
  const { schema, identifier } = from.table
  return { schema: schema?.name, name: databaseOf(db) === 'postgres' ? cutName(identifier.name) : identifier.name }
}

/** The layout with other names of its columns. */
export function renameColumns(table: TableLayout, named: (name: string) => string): TableLayout {
  return {
    ...table,
    columns: table.columns.map((column) => renameColumn(column, named)),
    primaryKey: table.primaryKey.map(named),
    lead: table.lead && named(table.lead),
    idColumns: table.idColumns.map(named),
    foreignKeys: table.foreignKeys.map((key) => ({
      ...key,
      columns: key.columns.map(named),
      targetColumns: key.targetColumns.map(named),
      column: named(key.column),
      targetColumn: named(key.targetColumn),
    })),
    uniques: table.uniques.map((unique) => ({
      ...unique,
      columns: unique.columns.map(named),
      where: unique.where.map(({ column, is }) => ({ column: named(column), is })),
    })),
    discriminator: table.discriminator && named(table.discriminator),
    indexes: table.indexes.map((columns) => columns.map(named)),
    declaredIndexes: table.declaredIndexes.map((columns) => columns.map(named)),
    searched: table.searched.map(named),
    searchKey: table.searchKey.map(named),
    owners: table.owners && { ...table.owners, columns: table.owners.columns.map(named) },
  }
}

function renameColumn(column: ColumnLayout, named: (name: string) => string): ColumnLayout {
  if (isIdColumn(column) || column.was === undefined) return { ...column, name: named(column.name) }
  return { ...column, name: named(column.name), was: named(column.was) }
}

function refuseSame(names: readonly string[]): void {
  const seen = new Set<string>()
  for (const name of names) {
    const isLong = Buffer.byteLength(name) > MAX_NAME_BYTES - 4
    const why = isLong ? `: PostgreSQL keeps ${MAX_NAME_BYTES} bytes of a name` : ''
    if (seen.has(name)) throw new TypeError(`the model uses the name '${name}' in the database twice${why}`)
    seen.add(name)
  }
}
