import { type DifferenceOf, messageOf } from '../../check/difference.ts'
import { foreignKeyText } from '../../create/create-table.ts'
import { dropUnique } from '../../create/wanted-indexes.ts'
import type { TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import {
  type Change,
  type ChangeOutcome,
  type Edit,
  type MigrationStep,
  ordinary,
  patiently,
  run,
  unless,
} from '../change.ts'
import { removedAction, removedUnique } from '../rebuild/cut-keys.ts'
import {
  constraintExists,
  type EarlySetting,
  idIsAssigned,
  indexPath,
  invalidIndexExists,
  isBusy,
  primaryKeyExists,
  type Setting,
} from '../setting.ts'

/** A unique key that is missing. */
export async function newUnique(difference: DifferenceOf<'unique'>, setting: Setting): Promise<ChangeOutcome> {
  const { index, fix, what } = difference
  const { table, name, definition, unique } = index
  if (fix === undefined) return { byHand: messageOf(difference) }
  const down = [run(...dropUnique(setting.database, table, name))]
  if (fix.length > 1 || !(await isBusy(setting, table)))
    return { changes: [ordinary('key', what, [run(...fix)], down)] }
  const up = [
    dropInvalid(table, name),
    run(`CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS ${definition}`),
    ...(unique.needsDeferral ? [asConstraint(table, name)] : []),
  ]
  return { changes: [{ file: 'concurrently', phase: 'key', reason: what, up, down }] }
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

/** How a unique key goes that the model has no more; undefined if it was not made by this library, as its name says. */
export function extraUnique(
  { at: { table }, index, columns = [] }: DifferenceOf<'extra unique'>,
  name: string,
  setting: EarlySetting,
): Change | undefined {
  const reason = `${table.name} (${columns.join(', ')}) is unique, which the descriptors do not say`
  if (index.name !== name) {
    const text = setting.texts.get(table.name.toLowerCase())
    const edit = text === undefined ? undefined : removedUnique(text, name)
    return edit && rebuilt(table, reason, edit)
  }
  const create = `CREATE UNIQUE INDEX ${quoted(name)} ON ${quotedTable(table)} (${quoted(...columns)})`
  const drop = run(...dropUnique(setting.database, table, name))
  return ordinary('drop', reason, [drop], [unless(twice(table, columns), [create])])
}

/** Finds values that several rows have. */
function twice(table: TableLayout, columns: readonly string[]): string {
  const given = columns.map((column) => `${quoted(column)} IS NOT NULL`).join(' AND ')
  return `SELECT 1 FROM ${quotedTable(table)} WHERE ${given} GROUP BY ${quoted(...columns)} HAVING count(*) > 1 LIMIT 1`
}

/** A primary key, and who assigns ids. What is there more than needed does no harm, so it stays on the way back. */
export function keyOrId(difference: DifferenceOf<'key' | 'id'>, { database, planned }: Setting): ChangeOutcome {
  const { severity, fix, kind, what, at, column } = difference
  if (severity !== 'error' || at === undefined) return {}
  if (fix === undefined) return { byHand: messageOf(difference) }
  const { table, found } = at
  const change = (up: Change['up'], down?: Change['down']) => ({ changes: [ordinary('key', what, up, down)] })
  if (kind === 'id') return change([unless(idIsAssigned(table, column?.name ?? ''), fix)])
  const isIndex = database === 'sqlite' || found.indexes.some((one) => one.isPrimary)
  if (!isIndex) return change([unless(primaryKeyExists(table), fix)])
  const name = planned.comparison.nameOf(table, 'key', table.primaryKey)
  return change([run(...fix)], [run(`DROP INDEX IF EXISTS ${indexPath(table, name)}`)])
}

/** A foreign key that is missing, or that names another table. */
export async function foreignKey(difference: DifferenceOf<'foreign key'>, setting: Setting): Promise<ChangeOutcome> {
  const { at, key, to, existing, what } = difference
  const { table } = at
  // What the ids in the rows name is known to nobody but the author.
  if (existing !== undefined) return { byHand: messageOf(difference) }
  const name = setting.planned.comparison.nameOf(table, 'fkey', [key.column])
  if (setting.database === 'sqlite') {
    const columns = key.columns.map((one) => setting.nameNow(table, one))
    const added = { from: '', to: foreignKeyText(name, columns, to, key.targetColumns) }
    return { changes: [rebuilt(table, what, added, 'foreign key')] }
  }
  const alter = `ALTER TABLE ${quotedTable(table)}`
  // The rows that are there are checked while others write to them.
  const isInUse = await isBusy(setting, table)
  const definition = foreignKeyText(name, key.columns, to, key.targetColumns)
  const up = [unless(constraintExists(table, name), [`${alter} ADD ${definition}${isInUse ? ' NOT VALID' : ''}`])]
  const down = [run(`${alter} DROP CONSTRAINT IF EXISTS ${quoted(name)}`)]
  const change = ordinary('foreign key', what, up, down)
  return { changes: isInUse ? [change, validation(table, name, what)] : [change] }
}

function validation(table: TableLayout, name: string, reason: string): Change {
  const validate = patiently(run(`ALTER TABLE ${quotedTable(table)} VALIDATE CONSTRAINT ${quoted(name)}`))
  return { file: 'concurrently', phase: 'foreign key', reason, up: [validate], down: [] }
}

/** What the database does to a row when the one that it names is deleted, and should not do. */
export async function deleteAction(difference: DifferenceOf<'on delete'>, setting: Setting): Promise<ChangeOutcome> {
  const { at, severity, key, existing, fix, what } = difference
  const { table } = at
  // A warning leaves the service as the model says it.
  if (severity !== 'error') return {}
  if (setting.database === 'sqlite') {
    const text = setting.texts.get(table.name.toLowerCase())
    const edit = text === undefined ? undefined : removedAction(text, setting.nameNow(table, key.column))
    return edit === undefined ? notRebuilt(difference) : { changes: [rebuilt(table, what, edit)] }
  }
  const { name, definition } = existing
  if (fix === undefined || name === undefined) return { byHand: messageOf(difference) }
  const isInUse = await isBusy(setting, table)
  const back = `ALTER TABLE ${quotedTable(table)} DROP CONSTRAINT IF EXISTS ${quoted(name)}, ADD CONSTRAINT ${quoted(name)} ${definition}`
  const up = [run(`${fix[0]}${isInUse ? ' NOT VALID' : ''}`)]
  const change = ordinary('foreign key', what, up, [run(back)])
  return { changes: isInUse ? [change, validation(table, name, what)] : [change] }
}

/** A change that SQLite makes with a new table. */
export function rebuilt(
  { name }: TableLayout,
  reason: string,
  { from, to }: Edit,
  phase: Change['phase'] = 'drop',
): Change {
  const step = (edit: Edit): MigrationStep[] => [{ table: name, edits: [edit] }]
  return { file: 'rebuild', phase, reason, up: step({ from, to }), down: step({ from: to, to: from }) }
}

export function notRebuilt(difference: DifferenceOf<'type' | 'on delete'>): ChangeOutcome {
  const so = 'SQLite needs a new table for it, and what the CREATE TABLE of this one says could be lost'
  return { byHand: `${messageOf(difference)}. ${so}` }
}
