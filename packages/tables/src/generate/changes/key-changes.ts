import type { FoundProblem } from '../../check/table-problem.ts'
import { uniqueName } from '../../create/constraint-names.ts'
import { whereText } from '../../create/wanted-indexes.ts'
import type { TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import { type Change, type ChangeOutcome, type Edit, type MigrationStep, patiently, run, unless } from '../change.ts'
import { addedForeignKey, removedAction, removedUnique } from '../rebuild/cut-keys.ts'
import {
  constraintExists,
  idIsAssigned,
  indexPath,
  invalidIndexExists,
  isBusy,
  nameNow,
  primaryKeyExists,
  type Setting,
} from '../setting.ts'

/** A unique key that is missing. */
export async function newUnique(problem: FoundProblem, table: TableLayout, setting: Setting): Promise<ChangeOutcome> {
  const { database, planned } = setting
  const { columns = [], statements, what } = problem
  if (statements === undefined) return { byHand: problem.message }
  const unique = table.uniques.find((one) => one.columns === columns)
  const { nameOf } = planned.comparison
  const name = unique === undefined ? nameOf(table, 'key', columns) : uniqueName(nameOf, table, unique)
  const common = { phase: 'key', reason: what, down: dropUnique(table, name, setting) } as const
  if (statements.length > 1 || !(await isBusy(setting, table)))
    return { changes: [{ ...common, file: 'ordinary', up: [run(...statements)] }] }
  const isDeferrable = unique?.needsDeferral === true
  const on = `${quoted(name)} ON ${quotedTable(table)} (${quoted(...columns)})${unique === undefined ? '' : whereText(database, unique)}`
  const up = [
    dropInvalid(table, name),
    run(`CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS ${on}`),
    ...(isDeferrable ? [asConstraint(table, name)] : []),
  ]
  return { changes: [{ ...common, file: 'concurrently', up }] }
}

function asConstraint(table: TableLayout, name: string) {
  const index = quoted(name)
  return patiently(
    unless(constraintExists(table, name), [
      `ALTER TABLE ${quotedTable(table)} ADD CONSTRAINT ${index} UNIQUE USING INDEX ${index} DEFERRABLE`,
    ]),
  )
}

export function dropInvalid(table: TableLayout, name: string) {
  const drop = `DROP INDEX CONCURRENTLY IF EXISTS ${indexPath(table, name)}`
  return { query: invalidIndexExists(table, name), ifFound: [drop], ifNone: [] }
}

function dropUnique(table: TableLayout, name: string, { database }: Setting) {
  const constraint = `ALTER TABLE ${quotedTable(table)} DROP CONSTRAINT IF EXISTS ${quoted(name)}`
  const index = `DROP INDEX IF EXISTS ${indexPath(table, name)}`
  return [run(...(database === 'postgres' ? [constraint, index] : [index]))]
}

/** Whether a unique key that the model does not have was made by this library, as its name says. */
export function isOurUnique(
  problem: FoundProblem,
  table: TableLayout,
  setting: Omit<Setting, 'planned'>,
  name: string,
) {
  return problem.name === name || removedUniqueOf(table, setting, name) !== undefined
}

function removedUniqueOf(table: TableLayout, { texts }: Omit<Setting, 'planned'>, name: string) {
  const text = texts.get(table.name.toLowerCase())
  return text === undefined ? undefined : removedUnique(text, name)
}

/** A unique key that the model has no more. */
export function extraUnique(problem: FoundProblem, table: TableLayout, setting: Setting): ChangeOutcome {
  const { planned } = setting
  const { columns = [] } = problem
  const reason = `${table.name} (${columns.join(', ')}) is unique, which the descriptors do not say`
  const name = planned.comparison.nameOf(
    table,
    'key',
    columns.map((column) => nameNow(setting, table, column)),
  )
  if (problem.name !== name) {
    const edit = removedUniqueOf(table, setting, name)
    if (edit === undefined) return {}
    const back = { from: edit.to, to: edit.from }
    const step = (one: typeof edit) => [{ table: table.name, edits: [one] }]
    return { changes: [{ file: 'rebuild', phase: 'drop', reason, up: step(edit), down: step(back) }] }
  }
  const up = dropUnique(table, name, setting)
  const create = `CREATE UNIQUE INDEX ${quoted(name)} ON ${quotedTable(table)} (${quoted(...columns)})`
  return { changes: [{ file: 'ordinary', phase: 'drop', reason, up, down: [unless(twice(table, columns), [create])] }] }
}

/** Finds values that several rows have. */
function twice(table: TableLayout, columns: readonly string[]): string {
  const given = columns.map((column) => `${quoted(column)} IS NOT NULL`).join(' AND ')
  return `SELECT 1 FROM ${quotedTable(table)} WHERE ${given} GROUP BY ${quoted(...columns)} HAVING count(*) > 1 LIMIT 1`
}

/** A primary key, and who assigns ids. What is there more than needed does no harm, so it stays on the way back. */
export function keyOrId(problem: FoundProblem, table: TableLayout, { database, planned }: Setting): ChangeOutcome {
  const { severity, statements, kind, what: reason } = problem
  if (severity !== 'error') return {}
  if (statements === undefined) return { byHand: problem.message }
  const common = { file: 'ordinary', phase: 'key', reason } as const
  const change = (up: Change['up'], down: Change['down'] = []): ChangeOutcome => ({
    changes: [{ ...common, up, down }],
  })
  if (kind === 'id') return change([unless(idIsAssigned(table, problem.column ?? ''), statements)])
  const isIndex =
    database === 'sqlite' || planned.comparison.found.tables.get(table.key)?.indexes.some((one) => one.isPrimary)
  if (isIndex !== true) return change([unless(primaryKeyExists(table), statements)])
  const name = planned.comparison.nameOf(table, 'key', table.primaryKey)
  return change([run(...statements)], [run(`DROP INDEX IF EXISTS ${indexPath(table, name)}`)])
}

/** A foreign key that is missing, or that names another table. */
export async function foreignKey(problem: FoundProblem, table: TableLayout, setting: Setting): Promise<ChangeOutcome> {
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
export async function deleteAction(
  problem: FoundProblem,
  table: TableLayout,
  setting: Setting,
): Promise<ChangeOutcome> {
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
): ChangeOutcome {
  const step = (edit: Edit): MigrationStep[] => [{ table: name, edits: [edit] }]
  const down = step({ from: to, to: from })
  return { changes: [{ file: 'rebuild', phase, reason, up: step({ from, to }), down }] }
}

export function notRebuilt({ message }: FoundProblem): string {
  return `${message}. SQLite needs a new table for it, and what the CREATE TABLE of this one says could be lost`
}
