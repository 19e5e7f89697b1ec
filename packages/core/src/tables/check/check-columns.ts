import type { DatabaseName } from '../../query/dialect/database.ts'
import type { FoundColumn } from '../catalogs/found-tables.ts'
import { type ColumnLayout, isIdColumn, type TableLayout } from '../create/table-layout.ts'
import { quoted } from '../quoted-names.ts'
import { columnInModel } from './column-in-model.ts'
import { columnMisfit } from './column-misfit.ts'
import type { Comparison, Pair } from './comparison.ts'
import { missingColumn } from './missing-column.ts'
import { alteration, problem, qualifiedColumn, type TableProblem } from './table-problem.ts'

/** Columns that are missing, of the wrong type, null where they may not be, or unknown and in the way. */
export function checkColumns({ table, found }: Pair, comparison: Comparison): readonly TableProblem[] {
  const { database } = comparison
  const known = table.columns.flatMap((column) => {
    const existing = found.columns.get(column.name)
    if (existing === undefined) return [missingColumn(table, column, comparison)]
    return [
      ...checkType(table, column, existing, database, found.isStrict),
      ...checkNull(table, column, existing, database),
    ]
  })
  const names = new Set(table.columns.map(({ name }) => name))
  const unknown = [...found.columns.values()].filter(({ name }) => !names.has(name))
  return [...known, ...unknown.filter(isInTheWay).map(({ name }) => inTheWay(table, name))]
}

function checkType(
  table: TableLayout,
  column: ColumnLayout,
  existing: FoundColumn,
  database: DatabaseName,
  isStrict: boolean,
): readonly TableProblem[] {
  const misfit = columnMisfit(database, column, existing, isStrict)
  const problems = misfit
    ? [problem(misfit.severity, table, column.name, columnInModel(table, column) + misfit.what)]
    : []
  const isWritable = !existing.isComputed && (!existing.isAlwaysIdentity || column.kind === 'id')
  if (isWritable || isGiven(column)) return problems
  if (hasDbDefault(column)) {
    const what = `${columnInModel(table, column)} is computed by the database: make its field readOnly, as no body can set it`
    return [...problems, problem('warning', table, column.name, what)]
  }
  const what = `${columnInModel(table, column)} is computed by the database, but the service writes it`
  return [...problems, problem('error', table, column.name, what)]
}

function checkNull(
  table: TableLayout,
  column: ColumnLayout,
  existing: FoundColumn,
  database: DatabaseName,
): readonly TableProblem[] {
  const { name, nullable } = column
  const { notNull, hasDefault, isComputed } = existing
  const givesNothing = !hasDefault && !isComputed
  const lacksDefault = givesNothing && (notNull ? mayBeGiven(column) : hasDbDefault(column))
  const unmet = lacksDefault ? [notGiven(table, column, notNull)] : []
  if (notNull && isGiven(column)) return unmet
  // What a column of an id needs, the checks of keys say.
  if (nullable !== notNull || table.idColumns.includes(name)) return unmet
  const what = nullable ? 'is NOT NULL, but the model allows null' : 'allows null, but the model does not'
  const alter = alteration(database, table, `ALTER COLUMN ${quoted(name)} ${nullable ? 'DROP' : 'SET'} NOT NULL`)
  return [...unmet, problem('error', table, name, `${columnInModel(table, column)} ${what}${alter}`)]
}

/** Whether no request writes the column. */
function isGiven(column: ColumnLayout): boolean {
  return !isIdColumn(column) && column.isGiven
}

/** Whether some requests do not write the column. */
function mayBeGiven(column: ColumnLayout): boolean {
  return !isIdColumn(column) && column.mayBeGiven
}

/** Whether new rows lack the column if their bodies do. */
function hasDbDefault(column: ColumnLayout): boolean {
  return !isIdColumn(column) && column.hasDbDefault
}

function notGiven(table: TableLayout, column: ColumnLayout, notNull: boolean): TableProblem {
  const has = notNull ? 'is NOT NULL and has no default' : 'has no default'
  const what = `${columnInModel(table, column)} ${has}, but ${whyNotGiven(column)}`
  return problem('warning', table, column.name, `${what}: give it a default, unless a trigger gives it a value`)
}

function whyNotGiven(column: ColumnLayout): string {
  if (hasDbDefault(column)) return 'its field has dbDefault'
  return isGiven(column) ? 'its field is read-only' : 'not every caller may set its field'
}

function isInTheWay({ notNull, hasDefault, isComputed }: FoundColumn): boolean {
  return notNull && !hasDefault && !isComputed
}

function inTheWay(table: TableLayout, name: string): TableProblem {
  const what = `column ${qualifiedColumn(table, name)} is NOT NULL, has no default, and is not in the model`
  return problem('error', table, name, `${what}: no row can be inserted; give it a default`)
}
