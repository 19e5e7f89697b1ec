import { widening } from '../../check/columns/widening.ts'
import type { FoundProblem } from '../../check/table-problem.ts'
import { columnType } from '../../create/column-type.ts'
import { type ColumnLayout, isIdColumn, type TableLayout } from '../../layout/table-layout.ts'
import { type Outcome, run, unless } from '../change.ts'
import { otherType } from '../rebuild/edits.ts'
import { nameNow, type Setting } from '../setting.ts'
import { notRebuilt, rebuilt } from './foreign-key-changes.ts'

/** A column whose type does not keep all values of its field. */
export function typeChange(problem: FoundProblem, table: TableLayout, column: ColumnLayout, setting: Setting): Outcome {
  const { database, planned } = setting
  const { severity, statements, what } = problem
  const found = planned.comparison.found.tables.get(table.key)
  const existing = found?.columns.get(column.name)
  if (database === 'sqlite') return severity === 'error' ? sqliteType(problem, table, column, setting) : {}
  if (statements === undefined || existing === undefined) return severity === 'error' ? { byHand: problem.message } : {}
  const narrowing = widening(table, column, existing, found?.indexes ?? [])?.narrowing
  const down = narrowing === undefined ? [] : [unless(narrowing.unfit, [narrowing.statement])]
  return { changes: [{ file: 'ordinary', phase: 'type', reason: what, up: [run(...statements)], down }] }
}

/** A text spells each integer, also as JSON. */
function sqliteType(problem: FoundProblem, table: TableLayout, column: ColumnLayout, setting: Setting): Outcome {
  const { planned, texts } = setting
  const found = planned.comparison.found.tables.get(table.key)?.columns.get(column.name)
  const type = String(columnType('sqlite', column))
  const isWidening = /int/i.test(found?.type ?? '') && type === 'text'
  const isPlain = !isIdColumn(column) && column.stored === undefined && !table.idColumns.includes(column.name)
  if (!isWidening || !isPlain || !takesNumbers(column)) return { byHand: problem.message }
  const text = texts.get(table.name.toLowerCase())
  const edit = text === undefined ? undefined : otherType(text, nameNow(setting, table, column.name), type)
  return edit === undefined ? { byHand: notRebuilt(problem) } : rebuilt(table, problem.what, edit)
}

function takesNumbers(column: ColumnLayout): boolean {
  return column.kind === 'string' || column.kind === 'json'
}
