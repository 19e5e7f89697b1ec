import { columnType } from '../../create/column-type.ts'
import { type ColumnLayout, isIdColumn, type TableLayout } from '../../layout/table-layout.ts'
import type { Comparison, Pair } from '../comparison.ts'
import { type FoundProblem, problem } from '../table-problem.ts'
import { checkStorage } from './check-columns.ts'
import { columnInModel } from './column-in-model.ts'

/**
 * What keeps the columns of a view, or of a table that others write, from being read as the model says. They come without advice to alter
 * them, and without keys: nothing tells which a view has.
 */
export function checkReadColumns({ table, found }: Pair, { database }: Comparison): readonly FoundProblem[] {
  return table.columns.flatMap((column) => {
    const existing = found.columns.get(column.name)
    if (existing === undefined) {
      const isOfView = isIdColumn(column) && column.isTenant === true && !found.isTable
      const so = isOfView ? ': the view has to show the tenant of each row' : ''
      const what = `${columnInModel(table, column)} is missing${so}`
      const wanted = columnType(database, column)
      return [problem({ kind: 'column', severity: 'error', table, column: column.name, wanted, what })]
    }
    // Of a view, no catalog says whether a column may be null: its rows do, as far as they are looked at.
    const mayBeNull = found.isTable && !existing.notNull && !column.nullable && !table.idColumns.includes(column.name)
    const ofType = checkStorage({ table, found }, column, existing, database)
    // Warnings are about values that somebody would have to write.
    return [...ofType.filter(({ severity }) => severity === 'error'), ...(mayBeNull ? [nullable(table, column)] : [])]
  })
}

function nullable(table: TableLayout, column: ColumnLayout): FoundProblem {
  const what = `${columnInModel(table, column)} allows null, but the model does not: declare that it may be null`
  const ofNull = { kind: 'null', severity: 'error', wanted: 'not null', found: 'null' } as const
  return problem({ ...ofNull, table, column: column.name, what })
}
