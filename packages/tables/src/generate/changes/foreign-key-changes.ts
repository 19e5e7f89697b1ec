import type { FoundProblem } from '../../check/table-problem.ts'
import type { TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import { type Change, type Edit, type Outcome, patiently, run, type Step, unless } from '../change.ts'
import { addedForeignKey, removedAction } from '../rebuild/edits.ts'
import { isBusy, nameNow, type Setting } from '../setting.ts'
import { constraintExists } from './exists.ts'

/** A foreign key that is missing, or that names another table. */
export async function foreignKey(problem: FoundProblem, table: TableLayout, setting: Setting): Promise<Outcome> {
  const { database, planned } = setting
  const { column = '', found, what } = problem
  const key = table.foreignKeys.find((one) => one.column === column)
  const target = key && planned.comparison.layout.get(key.target)
  // What the ids in the rows name is known to nobody but the author.
  if (key === undefined || target === undefined || found !== undefined) return { byHand: problem.message }
  const name = planned.comparison.nameOf(table, 'fkey', [column])
  if (database === 'sqlite') {
    const columns = key.columns.map((one) => nameNow(setting, table, one))
    return rebuilt(table, what, addedForeignKey(name, columns, target.name, key.targetColumns), 'foreign key')
  }
  const reference = `FOREIGN KEY (${quoted(...key.columns)}) REFERENCES ${quotedTable(target)} (${quoted(...key.targetColumns)})`
  return { changes: await constraint(table, name, reference, what, setting) }
}

/** Adds a constraint, and checks the rows that are there while others write to them. */
async function constraint(
  table: TableLayout,
  name: string,
  definition: string,
  reason: string,
  setting: Setting,
): Promise<readonly Change[]> {
  const alter = `ALTER TABLE ${quotedTable(table)}`
  const isInUse = await isBusy(setting, table)
  const add = `${alter} ADD CONSTRAINT ${quoted(name)} ${definition}${isInUse ? ' NOT VALID' : ''}`
  const change: Change = {
    file: 'ordinary',
    phase: 'foreign key',
    reason,
    up: [unless(constraintExists(table, name), [add])],
    down: [run(`${alter} DROP CONSTRAINT IF EXISTS ${quoted(name)}`)],
  }
  return isInUse ? [change, validation(table, name, reason)] : [change]
}

function validation(table: TableLayout, name: string, reason: string): Change {
  const validate = patiently(run(`ALTER TABLE ${quotedTable(table)} VALIDATE CONSTRAINT ${quoted(name)}`))
  return { file: 'concurrently', phase: 'foreign key', reason, up: [validate], down: [] }
}

/** What the database does to a row when the one that it names is deleted, and should not do. */
export async function deleteAction(problem: FoundProblem, table: TableLayout, setting: Setting): Promise<Outcome> {
  const { database, planned, texts } = setting
  const { severity, column = '', statements, name, what } = problem
  // A warning leaves the service as the model says it.
  if (severity !== 'error') return {}
  if (database === 'sqlite') {
    const text = texts.get(table.name.toLowerCase())
    const edit = text === undefined ? undefined : removedAction(text, nameNow(setting, table, column))
    return edit === undefined ? { byHand: notRebuilt(problem) } : rebuilt(table, what, edit)
  }
  const existing = planned.comparison.foreignKeysOf.get(table.key)?.find((one) => one.name === name)
  const [statement] = statements ?? []
  if (statement === undefined || existing?.definition === undefined) return { byHand: problem.message }
  const isInUse = await isBusy(setting, table)
  const constraintName = quoted(String(name))
  const back = `ALTER TABLE ${quotedTable(table)} DROP CONSTRAINT IF EXISTS ${constraintName}, ADD CONSTRAINT ${constraintName} ${existing.definition}`
  const change: Change = {
    file: 'ordinary',
    phase: 'foreign key',
    reason: what,
    up: [run(statement + (isInUse ? ' NOT VALID' : ''))],
    down: [run(back)],
  }
  return { changes: isInUse ? [change, validation(table, String(name), what)] : [change] }
}

/** A change that SQLite makes with a new table. */
export function rebuilt(
  { name }: TableLayout,
  reason: string,
  { from, to }: Edit,
  phase: Change['phase'] = 'drop',
): Outcome {
  const step = (edit: Edit): Step[] => [{ table: name, edits: [edit] }]
  const down = step({ from: to, to: from })
  return { changes: [{ file: 'rebuild', phase, reason, up: step({ from, to }), down }] }
}

export function notRebuilt({ message }: FoundProblem): string {
  return `${message}. SQLite needs a new table for it, and what the CREATE TABLE of this one says could be lost`
}
