import type { DatabaseName } from '../../query/dialect/database.ts'
import type { FoundColumn } from '../catalogs/found-tables.ts'
import { columnType } from '../create/column-type.ts'
import { type ColumnLayout, isIdColumn, type TableLayout } from '../create/table-layout.ts'
import { columnMisfit } from './column-misfit.ts'
import type { Comparison, Pair } from './comparison.ts'
import { alteration, problem, qualifiedColumn, quoted, quotedTable, type TableProblem } from './table-problem.ts'

/** Columns that are missing, of the wrong type, null where they may not be, or unknown and in the way. */
export function checkColumns({ table, found }: Pair, { database }: Comparison): readonly TableProblem[] {
  const known = table.columns.flatMap((column) => {
    const existing = found.columns.get(column.name)
    if (existing === undefined) return [missing(table, column, database)]
    return [
      ...checkType(table, column, existing, database, found.isStrict),
      ...checkNull(table, column, existing, database),
    ]
  })
  const names = new Set(table.columns.map(({ name }) => name))
  const unknown = [...found.columns.values()].filter(({ name }) => !names.has(name))
  return [...known, ...unknown.filter(isInTheWay).map(({ name }) => inTheWay(table, name))]
}

function missing(table: TableLayout, column: ColumnLayout, database: DatabaseName): TableProblem {
  const what = `${qualifiedColumn(table, column.name)} is missing, where ${column.nameInModel} is kept`
  const definition = `${quoted(column.name)} ${columnType(database, column)}`
  const add = column.kind === 'id' ? '' : `: ALTER TABLE ${quotedTable(table)} ADD COLUMN ${definition}`
  return problem('error', table, column.name, what + add)
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
    ? [problem(misfit.severity, table, column.name, qualifiedColumn(table, column.name) + misfit.what)]
    : []
  const isWritable = !existing.isComputed && (!existing.isAlwaysIdentity || column.kind === 'id')
  if (isWritable || isGiven(column)) return problems
  const what = `${qualifiedColumn(table, column.name)} is computed by the database, but ${column.nameInModel} is written`
  return [...problems, problem('error', table, column.name, what)]
}

function checkNull(
  table: TableLayout,
  column: ColumnLayout,
  existing: FoundColumn,
  database: DatabaseName,
): readonly TableProblem[] {
  const { name, kind, nullable, nameInModel } = column
  const { notNull, hasDefault, isComputed } = existing
  if (notNull && isGiven(column)) return hasDefault || isComputed ? [] : [notGiven(table, column)]
  if (kind === 'id' || nullable !== notNull) return []
  const what = nullable ? `is NOT NULL, but ${nameInModel} may be null` : `may be null, but ${nameInModel} may not`
  const alter = alteration(database, table, `ALTER COLUMN ${quoted(name)} ${nullable ? 'DROP' : 'SET'} NOT NULL`)
  return [problem('error', table, name, `${qualifiedColumn(table, name)} ${what}${alter}`)]
}

/** Whether no request writes the column. */
function isGiven(column: ColumnLayout): boolean {
  return !isIdColumn(column) && column.isGiven
}

function notGiven(table: TableLayout, { name, nameInModel }: ColumnLayout): TableProblem {
  const what = `${qualifiedColumn(table, name)} is NOT NULL and has no default, but ${nameInModel} is read-only`
  return problem('warning', table, name, `${what}: give it a default, unless a trigger gives it a value`)
}

function isInTheWay({ notNull, hasDefault, isComputed }: FoundColumn): boolean {
  return notNull && !hasDefault && !isComputed
}

function inTheWay(table: TableLayout, name: string): TableProblem {
  const what = `${qualifiedColumn(table, name)} is NOT NULL, has no default, and is not in the model`
  return problem('error', table, name, `${what}: no row can be inserted; give it a default`)
}
