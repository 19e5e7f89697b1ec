import type { ColumnLayout, TableLayout } from '../../layout/table-layout.ts'
import { qualifiedColumn } from '../table-problem.ts'

/** The start of a sentence about a column: `column t_book.book_title of field book.title`. It says the same name only once. */
export function columnInModel(table: TableLayout, column: ColumnLayout): string {
  const inDatabase = qualifiedColumn(table, column.name)
  const { nameInModel } = column
  return nameInModel === inDatabase ? `column ${inDatabase}` : `column ${inDatabase} of ${partOf(column)}${nameInModel}`
}

function partOf({ kind }: ColumnLayout): string {
  if (kind === 'id') return ''
  return kind === 'foreignKey' ? 'relation ' : 'field '
}
