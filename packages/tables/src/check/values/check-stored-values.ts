import type { AnyKysely, Model } from '@fastify-crud/core'
import { databaseErrorKind, type Field, type Resource } from '@fastify-crud/core/internal'
import type { ColumnLayout, TableLayout } from '../../layout/table-layout.ts'
import { columnInModel } from '../columns/column-in-model.ts'
import { columnMisfit } from '../columns/column-misfit.ts'
import type { Comparison } from '../comparison.ts'
import { type FoundProblem, problem } from '../table-problem.ts'
import { findUnfitValues, type UnfitValues, type Unreadable } from './check-values.ts'

/** Columns that hold values which no answer can show, or which no body could send back. Looks at some rows of each table. */
export async function checkStoredValues(
  db: AnyKysely,
  model: Model,
  comparison: Comparison,
): Promise<readonly FoundProblem[]> {
  try {
    const unfit = await findUnfitValues(db, model, (resource, field) => canBeRead(comparison, resource, field))
    return unfit.map((one) => toProblem(comparison, one))
  } catch (error) {
    // Who checks tables may see the catalogs only.
    if (databaseErrorKind(error) === 'forbidden') return []
    throw error
  }
}

/** Whether there is a column of the field, of a type that holds its values. Of another type there is a problem already. */
function canBeRead({ database, layout, found }: Comparison, resource: Resource, field: Field): boolean {
  const table = layout.get(resource.table)
  const existing = found.tables.get(resource.table)
  const column = table && columnOf(table, field)
  const stored = column && existing?.columns.get(column.name)
  if (table === undefined || stored === undefined || existing === undefined) return false
  if (table.isWritable && !existing.isTable) return false
  if (!table.idColumns.every((name) => existing.columns.has(name))) return false
  return columnMisfit(database, column as ColumnLayout, stored, existing.isStrict)?.severity !== 'error'
}

function columnOf({ columns }: TableLayout, { column }: Field): ColumnLayout | undefined {
  return columns.find(({ name }) => name === column)
}

function toProblem({ layout }: Comparison, found: UnfitValues | Unreadable): FoundProblem {
  const table = layout.get(found.resource.table) as TableLayout
  if ('error' in found) {
    const what = `the rows of ${table.name} cannot be read: ${found.error.message}`
    return problem({ kind: 'value', severity: 'error', table, what })
  }
  const { resource, field, count, rows, id, reason } = found
  const column = columnOf(table, field) as ColumnLayout
  const some = `holds values that do not fit the field's schema, in ${count} of ${rows} rows that were looked at`
  return problem({
    kind: 'value',
    severity: 'error',
    table,
    column: column.name,
    what: `${columnInModel(table, column)} ${some}: in ${resource.hasId ? `that with the id ${id}` : 'one of them'}, ${reason}`,
  })
}
