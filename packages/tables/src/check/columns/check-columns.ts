import { type DatabaseName, isLocalDefault } from '@fastify-crud/core/internal'
import { needsValue } from '../../catalogs/found-columns.ts'
import type { FoundColumn } from '../../catalogs/found-tables.ts'
import { columnType } from '../../create/create-table.ts'
import { type ColumnLayout, isIdColumn, type TableLayout } from '../../layout/table-layout.ts'
import type { ComparedTable, Pair } from '../comparison.ts'
import { columnInModel } from '../comparison.ts'
import type { Misfit } from '../table-problem.ts'
import { type FoundProblem, problem, qualifiedColumn } from '../table-problem.ts'
import { columnMisfit } from './column-misfit.ts'
import { dropNotNull, fillNulls, missingColumn, setNotNull } from './missing-column.ts'
import { widening } from './widening.ts'

/** Columns that are missing, of the wrong type, null where they may not be, or unknown and in the way. */
export function checkColumns({ table, found }: Pair, comparison: ComparedTable): readonly FoundProblem[] {
  const { database } = comparison
  const known = table.columns.flatMap((column) => {
    const existing = found.columns.get(column.name)
    if (existing === undefined) return [missingColumn(table, column, comparison)]
    return [...checkType({ table, found }, column, existing, database), ...checkNull(table, column, existing, database)]
  })
  const names = new Set(table.columns.map(({ name }) => name))
  const unknown = [...found.columns.values()].filter(({ name }) => !names.has(name))
  return [...known, ...unknown.filter((column) => needsValue(found, column)).map(({ name }) => inTheWay(table, name))]
}

function checkType(
  { table, found }: Pair,
  column: ColumnLayout,
  existing: FoundColumn,
  database: DatabaseName,
): readonly FoundProblem[] {
  const problems = checkStorage({ table, found }, column, existing, database)
  const isWritable = !existing.isComputed && (!existing.isAlwaysIdentity || column.kind === 'id')
  if (isWritable || isGiven(column)) return problems
  const [severity, so] = hasDbDefault(column)
    ? (['warning', ': make its field readOnly, as no body can set it'] as const)
    : (['error', ', but the service writes it'] as const)
  const what = `${columnInModel(table, column)} is computed by the database${so}`
  return [...problems, problem({ kind: 'computed', severity, table, column: column.name, what })]
}

/** Whether the column's type keeps the values as they are. */
export function checkStorage(
  pair: Pair,
  column: ColumnLayout,
  existing: FoundColumn,
  database: DatabaseName,
): readonly FoundProblem[] {
  const misfit = columnMisfit(database, column, existing, pair.found.isStrict)
  return misfit === undefined ? [] : [unfit(pair, column, existing, database, misfit)]
}

function unfit(
  { table, found }: Pair,
  column: ColumnLayout,
  existing: FoundColumn,
  database: DatabaseName,
  { kind, severity, what }: Misfit,
): FoundProblem {
  const ofType = { wanted: columnType(database, column), found: existing.definition }
  const isForUs = kind === 'type' && database === 'postgres' && table.isWritable
  return problem({
    kind,
    severity,
    table,
    column: column.name,
    fix: isForUs ? widening(table, column, existing, found.indexes)?.statements : undefined,
    ...(kind === 'type' ? ofType : { found: existing.default }),
    what: columnInModel(table, column) + what,
  })
}

function checkNull(
  table: TableLayout,
  column: ColumnLayout,
  existing: FoundColumn,
  database: DatabaseName,
): readonly FoundProblem[] {
  const { name, nullable } = column
  const { notNull, hasDefault, isComputed } = existing
  const givesNothing = !hasDefault && !isComputed
  const lacksDefault = givesNothing && (notNull ? mayBeGiven(column) : hasDbDefault(column))
  const unmet = lacksDefault ? [notGiven(table, column, notNull)] : []
  if (notNull && isGiven(column)) return unmet
  // What a column of an id needs, the checks of keys say.
  if (nullable !== notNull || table.idColumns.includes(name)) return unmet
  // A row without a value in it is a row of no resource.
  if (name === table.discriminator) return unmet
  if (nullable && TAKES_A_NULL.includes(existing.type)) return unmet
  const what = nullable ? 'is NOT NULL, but the model allows null' : 'allows null, but the model does not'
  const alter = nullable ? dropNotNull(table, name) : setNotNull(table, name)
  return [
    ...unmet,
    problem({
      kind: 'null',
      // What a generated column is computed from may never be null. SQLite takes null in a primary key that does not
      // say otherwise: in a table of links, no request meets such a row.
      severity: isComputed || (database === 'sqlite' && table.primaryKey.includes(name)) ? 'warning' : 'error',
      table,
      column: name,
      wanted: nullable ? 'null' : 'not null',
      found: notNull ? 'not null' : 'null',
      what: `${columnInModel(table, column)} ${what}`,
      fix: nullable ? alter : [...fillNulls(table, column, existing, database), alter],
    }),
  ]
}

/** JSON has a null of its own. On SQLite, JSON is in a text. */
const TAKES_A_NULL = ['json', 'jsonb']

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

function notGiven(table: TableLayout, column: ColumnLayout, notNull: boolean): FoundProblem {
  const has = notNull ? 'is NOT NULL and has no default' : 'has no default'
  const what = `${columnInModel(table, column)} ${has}, but ${whyNotGiven(column)}`
  return problem({
    kind: 'default',
    severity: 'warning',
    table,
    column: column.name,
    wanted: 'a default',
    what: `${what}: give it a default, unless a trigger gives it a value`,
  })
}

function whyNotGiven(column: ColumnLayout): string {
  if (hasDbDefault(column)) return 'its field has dbDefault'
  return isGiven(column) ? 'its field is read-only' : 'not every caller may set its field'
}

function inTheWay(table: TableLayout, name: string): FoundProblem {
  const what = `column ${qualifiedColumn(table, name)} is NOT NULL, has no default, and is not in the model`
  return problem({
    kind: 'extra column',
    severity: 'error',
    table,
    column: name,
    found: 'not null without a default',
    what: `${what}: no row can be inserted; give it a default, or let it be null`,
    fix: dropNotNull(table, name),
  })
}

const UTC = /^(?:(?:etc\/)?(?:utc|uct|gmt|zulu|universal|greenwich)|gmt[+-]?0)$/i

/** Columns of the type `timestamp` whose default is the time of the server's zone, while all else counts as UTC. */
export function checkDefaultMoments(
  { table, found }: Pair,
  { found: { timeZone } }: ComparedTable,
): readonly FoundProblem[] {
  if (timeZone === undefined || isUtc(timeZone)) return []
  return table.columns.flatMap((column) => {
    const existing = found.columns.get(column.name)
    if (existing === undefined || !countsAsUtc(column) || !isLocalNow(existing)) return []
    const what = `${columnInModel(table, column)} is of type timestamp, which counts as UTC, but its default ${existing.default} is the time in ${timeZone}`
    const advice = `declare stored: { zone: '${timeZone}' }, or stored: 'utc' if it holds times in UTC`
    return [
      problem({
        kind: 'default',
        severity: 'error',
        table,
        column: column.name,
        wanted: 'the time in UTC',
        found: existing.default,
        what: `${what}: ${advice}`,
      }),
    ]
  })
}

function countsAsUtc(column: ColumnLayout): boolean {
  return !isIdColumn(column) && column.stored === undefined
}

/** Whether a time zone is UTC, whatever it is called. */
export function isUtc(timeZone: string): boolean {
  return UTC.test(timeZone)
}

/** Whether the default of a `timestamp` is the time of the session's zone. */
export function isLocalNow({ type, default: given = '' }: FoundColumn): boolean {
  return type === 'timestamp' && isLocalDefault(given)
}
