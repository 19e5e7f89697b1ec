import { primaryKeyOf } from '../../catalogs/found-tables.ts'
import {
  addColumn,
  anyNull,
  defaultLiteral,
  dropNotNull,
  fillNulls,
  fillWith,
  setNotNull,
  takesLiterals,
} from '../../check/columns/missing-column.ts'
import { type DifferenceOf, messageOf } from '../../check/difference.ts'
import { type ColumnLayout, isIdColumn, type TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import { type Change, type ChangeOutcome, type MigrationStep, ordinary, patiently, run, unless } from '../change.ts'
import { columnExists, constraintExists, isOnline, type Setting } from '../setting.ts'

/** Adds a column. After a `down` it is there already, with its values. */
export async function newColumn(difference: DifferenceOf<'column'>, setting: Setting): Promise<ChangeOutcome> {
  const { at, column, what } = difference
  const { table } = at
  const { database, planned, fills, rows } = setting
  const fill = fills.get(column)?.sql
  const note = ownersCheck(table, column)
  const isGivenByDatabase = !isIdColumn(column) && column.hasDbDefault
  if (column.kind === 'id' || isGivenByDatabase) return { byHand: messageOf(difference) }
  const fallback = column.nullable ? undefined : defaultLiteral(column, database)
  const mustHave = !column.nullable && fill === undefined && fallback === undefined
  if (mustHave && (await rows.hasRows(table))) {
    if (!isOwner(table, column)) return { ...unfilled(difference, `${table.name} has rows`), ...note }
    return { byHand: `${messageOf(difference)}. Only you know which record owns the rows that exist` }
  }
  const optional = addColumn(table, { ...column, nullable: true }, planned.comparison)
  const require = column.nullable ? [] : [setNotNull(table, column.name)]
  const value = fill ?? fallback
  const again = value === undefined ? require : [fillWith(table, column.name, value), ...require]
  // With its value from the beginning, PostgreSQL need not write the rows.
  const isQuick = fill === undefined && !column.nullable && !isIdColumn(column)
  const statements =
    isQuick || value === undefined ? [addColumn(table, column, planned.comparison)] : [optional, ...again]
  const reason = mustHave ? `${what}: this fails where ${table.name} has rows` : what
  const exists = columnExists(database, table, column.name)
  if (!isQuick && value !== undefined && (await isOnline(setting, table))) {
    const add = ordinary('add', reason, [unless(exists, [optional])])
    return { changes: [add, filledOnline(table, column, value, reason, setting)], ...note }
  }
  // SQLite adds the foreign key, which names the tenant too, with a new table.
  const needsRebuild =
    database === 'sqlite' && table.foreignKeys.some((key) => key.column === column.name && key.columns.length > 1)
  // With a default, rows can be inserted without it.
  const down = column.nullable || (isQuick && fallback !== undefined) ? [] : [run(dropNotNull(table, column.name))]
  const add = ordinary('add', reason, [unless(exists, statements, again)], down)
  return { changes: [needsRebuild ? { ...add, file: 'rebuild' } : add], ...note }
}

function isOwner({ foreignKeys, idColumns }: TableLayout, { name }: ColumnLayout): boolean {
  const isOwnerKey = foreignKeys.some(({ column, whenTargetGoes }) => column === name && whenTargetGoes === 'delete')
  return idColumns.length > 0 && isOwnerKey
}

function unfilled({ what, column }: DifferenceOf<'column' | 'null'>, why: string): ChangeOutcome {
  const field = column.nameInModel
  const ways = `give it by --fill ${field}=VALUE, or give the field a default, or make it optional`
  return { unfilled: { field, message: `${what}, and ${why}: ${ways}` } }
}

/** Allows null, or forbids it. */
export async function nullChange(difference: DifferenceOf<'null'>, setting: Setting): Promise<ChangeOutcome> {
  const { at, column, existing, severity, what } = difference
  const { table } = at
  if (severity !== 'error') return {}
  const { database, fills, rows } = setting
  const { name } = column
  if (column.nullable) return allowNull(what, table, name)
  const fill = fills.get(column)
  if (fill?.isComputed === false && !takesLiterals(existing)) {
    const advice = `Its type is ${existing.definition}, so fill it by an UPDATE of your own`
    return { byHand: `${messageOf(difference)}. ${advice}` }
  }
  const fillRows = fill === undefined ? fillNulls(table, column, existing, database) : [fillWith(table, name, fill.sql)]
  if (fillRows.length === 0 && (await rows.hasNulls(table, setting.nameNow(table, name)))) {
    return unfilled(difference, `rows of ${table.name} have none`)
  }
  if (await isOnline(setting, table)) {
    const value = fill?.sql ?? (fillRows.length === 0 ? undefined : defaultLiteral(column, database))
    return { changes: [filledOnline(table, column, value, what, setting)] }
  }
  const up = [run(...fillRows, setNotNull(table, name))]
  return { changes: [ordinary('tighten', what, up, [run(dropNotNull(table, name))])] }
}

/** Gives rows a value in portions, and forbids null, so that nobody waits. A second run through the rows finds the last
 * ones. */
function filledOnline(
  table: TableLayout,
  { name, nullable }: ColumnLayout,
  value: string | undefined,
  reason: string,
  setting: Setting,
): Change {
  const column = quoted(name)
  const where = `${column} IS NULL`
  const key = table.primaryKey.map((one) => quoted(one))
  const fill = value === undefined ? [] : [{ changed: quotedTable(table), key, set: `${column} = ${value}`, where }]
  const forbid = nullable ? [] : forbidNull(table, name, setting, fill)
  const down = nullable ? [] : [patiently(run(dropNotNull(table, name)))]
  return { file: 'concurrently', phase: 'tighten', reason, up: [...fill, ...forbid], down }
}

/** A column that no descriptor names stays, but must not keep rows from being inserted. */
export function extraColumn({ at, columns = [], what }: DifferenceOf<'extra column'>): ChangeOutcome {
  const [column = ''] = columns
  return primaryKeyOf(at.found).includes(column) ? { byHand: what } : allowNull(what, at.table, column)
}

function allowNull(reason: string, table: TableLayout, column: string): ChangeOutcome {
  const down = [unless(anyNull(table, column), [setNotNull(table, column)])]
  return { changes: [ordinary('relax', reason, [run(dropNotNull(table, column))], down)] }
}

/** `quoted` names for a message about what a table should say of its owners. */
function ownersCheck({ name, owners }: TableLayout, column: ColumnLayout): Pick<ChangeOutcome, 'byHand'> {
  if (owners === undefined || !owners.columns.includes(column.name)) return {}
  const sum = owners.columns.map((one) => `(${quoted(one)} IS NOT NULL)`).join(', ')
  return { byHand: `${name} has several owners now. If it has a CHECK over the earlier ones, make it one over ${sum}` }
}

/**
 * Forbids null while others write. PostgreSQL reads no row for NOT NULL where a valid CHECK says so, and validates one
 * beside others. `fill` runs once no new row can lack the value.
 */
export function forbidNull(
  table: TableLayout,
  column: string,
  { planned }: Setting,
  fill: readonly MigrationStep[] = [],
): readonly MigrationStep[] {
  const alter = `ALTER TABLE ${quotedTable(table)}`
  const check = planned.comparison.nameOf(table, 'filled_check', [column])
  const add = `${alter} ADD CONSTRAINT ${quoted(check)} CHECK (${quoted(column)} IS NOT NULL) NOT VALID`
  return [
    patiently(unless(constraintExists(table, check), [add])),
    ...fill,
    patiently(run(`${alter} VALIDATE CONSTRAINT ${quoted(check)}`)),
    patiently(run(setNotNull(table, column), `${alter} DROP CONSTRAINT ${quoted(check)}`)),
  ]
}
