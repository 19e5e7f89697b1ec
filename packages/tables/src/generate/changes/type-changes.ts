import { widening } from '../../check/columns/widening.ts'
import type { FoundProblem } from '../../check/table-problem.ts'
import { columnType } from '../../create/column-type.ts'
import { type ColumnLayout, isIdColumn, type TableLayout } from '../../layout/table-layout.ts'
import { type Outcome, run, unless } from '../change.ts'
import { otherType } from '../rebuild/edits.ts'
import { isBusy, isOnline, nameNow, type Setting } from '../setting.ts'
import { notRebuilt, rebuilt } from './foreign-key-changes.ts'
import { typeByNewColumn, usesOfColumn } from './type-by-new-column.ts'

/** A column whose type does not keep all values of its field. */
export async function typeChange(
  problem: FoundProblem,
  table: TableLayout,
  column: ColumnLayout,
  setting: Setting,
): Promise<Outcome> {
  const { database, planned } = setting
  const { severity, statements, what } = problem
  const found = planned.comparison.found.tables.get(table.key)
  const existing = found?.columns.get(column.name)
  if (database === 'sqlite') return severity === 'error' ? sqliteType(problem, table, column, setting) : {}
  if (statements === undefined || existing === undefined) return severity === 'error' ? { byHand: problem.message } : {}
  const wider = widening(table, column, existing, found?.indexes ?? [])
  const { narrowing, copy } = wider ?? {}
  const isCopied = copy !== undefined && (await isOnline(setting, table)) && (await isBusy(setting, table))
  const uses = isCopied ? await usesOfColumn(table, column, setting) : []
  const isOfTenants = found?.indexes.some((index) => index.name === '' && index.columns.includes(column.name))
  const others = [
    ...uses.flatMap((use) => (use.index === null ? use.what : [])),
    ...(isCopied && isOfTenants ? ['keys that get the tenant'] : []),
  ]
  if (wider !== undefined && isCopied && others.length === 0) {
    return { changes: typeByNewColumn(what, table, column, existing, { ...wider, copy }, uses, setting) }
  }
  const why = `: others wait until all rows are written, as a new column could not take over ${others.join(', ')}`
  const reason = others.length === 0 ? what : what + why
  const down = narrowing === undefined ? [] : [unless(narrowing.unfit, [narrowing.statement])]
  return { changes: [{ file: 'ordinary', phase: 'type', reason, up: [run(...statements)], down }] }
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
