import type { DatabaseName } from '@fastify-crud/core/internal'
import type { FoundColumn, FoundTables } from '../../catalogs/found-tables.ts'
import { columnType } from '../../layout/column-type.ts'
import {
  type ColumnLayout,
  type FieldColumn,
  isIdColumn,
  type TableLayout,
  typedAs,
} from '../../layout/table-layout.ts'

/** A column, and those that it names or is named by, where ids are the values of fields. */
interface KeyColumn {
  readonly table: TableLayout
  readonly column: ColumnLayout
  readonly others: KeyColumn[]
}

/**
 * The tables, with columns of keys that are not there yet of the type that the others of the key have: PostgreSQL takes
 * no foreign key from a column of texts to one of moments. A table that was made earlier may have texts in both.
 */
export function withTypesOfKeys(
  database: DatabaseName,
  tables: readonly TableLayout[],
  found: FoundTables,
): readonly TableLayout[] {
  if (database === 'sqlite') return tables
  const keys = keyColumns(tables)
  return tables.map((table) => {
    const own = keys.get(table)
    if (own === undefined) return table
    const columns = table.columns.map((column) => {
      const key = own.get(column.name)
      if (key === undefined || foundOf(key, found) !== undefined) return column
      const type = typeOfOthers(key, found)
      return type === undefined || type === columnType(database, column) ? column : ofType(column, type)
    })
    return columns.every((column, index) => column === table.columns[index]) ? table : { ...table, columns }
  })
}

function keyColumns(tables: readonly TableLayout[]): ReadonlyMap<TableLayout, ReadonlyMap<string, KeyColumn>> {
  const byKey = new Map(tables.map((table) => [table.key, table]))
  const keys = new Map<TableLayout, Map<string, KeyColumn>>()
  const keyOf = (table: TableLayout, column: ColumnLayout): KeyColumn => {
    const own = keys.get(table) ?? new Map<string, KeyColumn>()
    const key = own.get(column.name) ?? { table, column, others: [] }
    keys.set(table, own.set(column.name, key))
    return key
  }
  for (const table of tables) {
    for (const { column: name, target, targetColumn } of table.foreignKeys) {
      const to = byKey.get(target)
      const [column, named] = [columnIn(table, name), to && columnIn(to, targetColumn)]
      if (to === undefined || named === undefined || column === undefined || !hasValues(column)) continue
      const [one, other] = [keyOf(table, column), keyOf(to, named)]
      // What a column names comes first.
      one.others.unshift(other)
      other.others.push(one)
    }
  }
  return keys
}

function columnIn({ columns }: TableLayout, name: string): ColumnLayout | undefined {
  return columns.find((one) => one.name === name)
}

/** Whether a foreign key has the values of a field. */
export function hasValues(column: ColumnLayout): boolean {
  return isIdColumn(column) && column.values !== undefined
}

function foundOf({ table, column }: KeyColumn, found: FoundTables): FoundColumn | undefined {
  return found.tables.get(table.key)?.columns.get(column.name)
}

/** The type of the nearest column that is there. */
function typeOfOthers(key: KeyColumn, found: FoundTables): string | undefined {
  const seen = new Set([key])
  for (const one of seen) {
    const existing = foundOf(one, found)
    if (existing !== undefined) return existing.isEnum ? undefined : typeInKey(existing)
    for (const other of one.others) seen.add(other)
  }
  return undefined
}

/** The types of texts can name each other. */
const TEXTS = new Set(['text', 'varchar', 'bpchar', 'citext', 'name'])

/** Columns name each other where this is the same. */
export function typeInKey({ type }: FoundColumn): string {
  return TEXTS.has(type) ? 'text' : type
}

function ofType(column: ColumnLayout, type: string): ColumnLayout {
  const typed: FieldColumn = { ...(typedAs(column) as FieldColumn), type }
  return isIdColumn(column) ? { ...column, values: typed } : typed
}
