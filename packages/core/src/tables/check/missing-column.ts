import type { DatabaseName } from '../../query/dialect/database.ts'
import { columnType } from '../create/column-type.ts'
import { type ColumnLayout, type FieldColumn, isIdColumn, type TableLayout } from '../create/table-layout.ts'
import { quoted, quotedTable } from '../quoted-names.ts'
import { columnInModel } from './column-in-model.ts'
import type { Comparison } from './comparison.ts'
import { problem, type TableProblem } from './table-problem.ts'

/** The problem of a column that is not there, with the SQL that adds it. */
export function missingColumn(table: TableLayout, column: ColumnLayout, comparison: Comparison): TableProblem {
  const what = `${columnInModel(table, column)} is missing`
  if (column.kind === 'id') return problem('error', table, column.name, what)
  const { database } = comparison
  const type = columnType(database, column)
  const definition = [quoted(column.name), type, notNull(column, database), reference(table, column, comparison)]
  const add = `ALTER TABLE ${quotedTable(table)} ADD COLUMN ${definition.filter((part) => part !== '').join(' ')}`
  return problem('error', table, column.name, `${what}: ${add}${adviceForRows(column, database)}`)
}

function notNull(column: ColumnLayout, database: DatabaseName): string {
  if (column.nullable) return ''
  return isIdColumn(column) || column.default === undefined
    ? 'NOT NULL'
    : `NOT NULL DEFAULT ${literal(column, database)}`
}

/** SQLite can add a foreign key with its column only. */
function reference(table: TableLayout, { name }: ColumnLayout, { layout }: Comparison): string {
  const key = table.foreignKeys.find(({ column }) => column === name)
  if (key === undefined) return ''
  const target = layout.get(key.target)
  return target === undefined ? '' : `REFERENCES ${quotedTable(target)} (${quoted(key.targetColumn)})`
}

/** What the statement lacks where the table has rows, or only the database gives values to some. */
function adviceForRows(column: ColumnLayout, database: DatabaseName): string {
  if (!isIdColumn(column) && column.hasDbDefault) return ', with a DEFAULT'
  if (column.nullable) return ''
  // SQLite adds no reference with a default.
  if (isIdColumn(column)) return database === 'sqlite' ? ', which needs an empty table' : FOR_ROWS
  if (column.default !== undefined) return ''
  return column.mayBeGiven ? ', with a DEFAULT' : FOR_ROWS
}

const FOR_ROWS = ', with a DEFAULT for the rows that exist'

function literal({ kind, default: value }: FieldColumn, database: DatabaseName): string {
  if (kind === 'bytes') {
    const hex = Buffer.from(String(value), 'base64').toString('hex')
    return database === 'sqlite' ? `x'${hex}'` : `decode('${hex}', 'hex')`
  }
  if (kind !== 'json' && typeof value !== 'string') return String(value)
  const text = kind === 'json' ? JSON.stringify(value) : String(value)
  return `'${text.replaceAll("'", "''")}'`
}
