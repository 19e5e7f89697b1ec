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
import type { FoundProblem } from '../../check/table-problem.ts'
import { type ColumnLayout, isIdColumn, type TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import { type Change, type ChangeOutcome, type MigrationStep, patiently, run, unless } from '../change.ts'
import { columnExists, constraintExists, isOnline, nameNow, type Setting } from '../setting.ts'

/** Adds a column. After a `down` it is there already, with its values. */
export async function newColumn(
  problem: FoundProblem,
  table: TableLayout,
  column: ColumnLayout,
  setting: Setting,
): Promise<ChangeOutcome> {
  const { database, planned, fills, rows } = setting
  const fill = fills.get(column)?.sql
  const isGivenByDatabase = !isIdColumn(column) && column.hasDbDefault
  if (column.kind === 'id' || isGivenByDatabase) return { byHand: problem.message }
  const fallback = column.nullable ? undefined : defaultLiteral(column, database)
  const mustHave = !column.nullable && fill === undefined && fallback === undefined
  if (mustHave && (await rows.hasRows(table))) {
    if (isOwner(table, column)) {
      return { byHand: `${problem.message}. Only you know which record owns the rows that exist` }
    }
    return unfilled(problem, column, `${table.name} has rows`)
  }
  const optional = addColumn(table, { ...column, nullable: true }, planned.comparison)
  const require = column.nullable ? [] : [setNotNull(table, column.name)]
  const value = fill ?? fallback
  const again = value === undefined ? require : [fillWith(table, column.name, value), ...require]
  // With its value from the beginning, PostgreSQL need not write the rows.
  const isQuick = fill === undefined && !column.nullable && !isIdColumn(column)
  const statements =
    isQuick || value === undefined ? [addColumn(table, column, planned.comparison)] : [optional, ...again]
  const reason = mustHave ? `${problem.what}: this fails where ${table.name} has rows` : problem.what
  if (!isQuick && value !== undefined && (await isOnline(setting, table))) {
    const up = [unless(columnExists(database, table, column.name), [optional])]
    const changes: Change[] = [{ file: 'ordinary', phase: 'add', reason, up, down: [] }]
    return { changes: [...changes, filledOnline(table, column, value, reason, setting)] }
  }
  // SQLite adds the foreign key, which names the tenant too, with a new table.
  const needsRebuild =
    database === 'sqlite' && table.foreignKeys.some((key) => key.column === column.name && key.columns.length > 1)
  return {
    changes: [
      {
        file: needsRebuild ? 'rebuild' : 'ordinary',
        phase: 'add',
        reason,
        up: [unless(columnExists(database, table, column.name), statements, again)],
        // With a default, rows can be inserted without it.
        down: column.nullable || (isQuick && fallback !== undefined) ? [] : [run(dropNotNull(table, column.name))],
      },
    ],
  }
}

function isOwner({ foreignKeys, idColumns }: TableLayout, { name }: ColumnLayout): boolean {
  const isOwnerKey = foreignKeys.some(({ column, whenTargetGoes }) => column === name && whenTargetGoes === 'delete')
  return idColumns.length > 0 && isOwnerKey
}

function unfilled({ what }: FoundProblem, { nameInModel }: ColumnLayout, why: string): ChangeOutcome {
  const ways = `give it by --fill ${nameInModel}=VALUE, or give the field a default, or make it optional`
  return { unfilled: { field: nameInModel, message: `${what}, and ${why}: ${ways}` } }
}

/** Allows null, or forbids it. */
export async function nullChange(
  problem: FoundProblem,
  table: TableLayout,
  column: ColumnLayout,
  setting: Setting,
): Promise<ChangeOutcome> {
  if (problem.severity !== 'error') return {}
  const { database, planned, fills, rows } = setting
  const { name } = column
  const forbid = setNotNull(table, name)
  if (problem.wanted === 'null') return allowNull(problem, table, name)
  const found = planned.comparison.found.tables.get(table.key)?.columns.get(name)
  if (found === undefined) return {}
  const fill = fills.get(column)
  if (fill?.isComputed === false && !takesLiterals(found)) {
    return { byHand: `${problem.message}. Its type is ${found.definition}, so fill it by an UPDATE of your own` }
  }
  const fillRows = fill === undefined ? fillNulls(table, column, found, database) : [fillWith(table, name, fill.sql)]
  if (fillRows.length === 0 && (await rows.hasNulls(table, nameNow(setting, table, name)))) {
    return unfilled(problem, column, `rows of ${table.name} have none`)
  }
  if (await isOnline(setting, table)) {
    const value = fill?.sql ?? (fillRows.length === 0 ? undefined : defaultLiteral(column, database))
    return { changes: [filledOnline(table, column, value, problem.what, setting)] }
  }
  const up = [run(...fillRows, forbid)]
  return {
    changes: [{ file: 'ordinary', phase: 'tighten', reason: problem.what, up, down: [run(dropNotNull(table, name))] }],
  }
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
export function extraColumn(problem: FoundProblem, table: TableLayout, { planned }: Setting): ChangeOutcome {
  const { column = '' } = problem
  const isInKey = primaryKeyOf(planned.comparison.found.tables.get(table.key)).includes(column)
  return isInKey ? { byHand: problem.what } : allowNull(problem, table, column)
}

function allowNull({ what }: FoundProblem, table: TableLayout, column: string): ChangeOutcome {
  const down = [unless(anyNull(table, column), [setNotNull(table, column)])]
  return {
    changes: [{ file: 'ordinary', phase: 'relax', reason: what, up: [run(dropNotNull(table, column))], down }],
  }
}

/** `quoted` names for a message about what a table should say of its owners. */
export function ownersCheck({ name, owners }: TableLayout, problem: FoundProblem): string | undefined {
  if (owners === undefined || !owners.columns.includes(problem.column ?? '')) return undefined
  const sum = owners.columns.map((column) => `(${quoted(column)} IS NOT NULL)`).join(', ')
  return `${name} has several owners now. If it has a CHECK over the earlier ones, make it one over ${sum}`
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
