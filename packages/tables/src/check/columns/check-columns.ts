import { type DatabaseName, isLocalDefault } from '@fastify-crud/core/internal'
import type { FoundColumn } from '../../catalogs/found-tables.ts'
import { isRowNumber, needsValue } from '../../catalogs/found-tables.ts'
import { columnType } from '../../layout/column-type.ts'
import { type ColumnLayout, type FieldColumn, isIdColumn } from '../../layout/table-layout.ts'
import type { ComparedTable } from '../comparison.ts'
import { type ColumnPair, columnInModel, type Difference, type Pair, qualifiedColumn } from '../difference.ts'
import { columnMisfit } from './column-misfit.ts'
import { dropNotNull, fillNulls, missingColumn, setNotNull } from './missing-column.ts'
import { widening } from './widening.ts'

/** Columns that are missing, of the wrong type, null where they may not be, or unknown and in the way. */
export function checkColumns(at: Pair, comparison: ComparedTable): readonly Difference[] {
  const { table, found } = at
  const { database } = comparison
  const known = table.columns.flatMap((column) => {
    const existing = found.columns.get(column.name)
    if (existing === undefined) return [missingColumn(at, column, comparison)]
    const one = { at, column, existing }
    return [...checkType(one, database), ...checkNull(one, database)]
  })
  const names = new Set(table.columns.map(({ name }) => name))
  const unknown = [...found.columns.values()].filter(({ name }) => !names.has(name))
  return [...known, ...unknown.filter((column) => needsValue(found, column)).map(({ name }) => inTheWay(at, name))]
}

function checkType(one: ColumnPair, database: DatabaseName): readonly Difference[] {
  const { at, column, existing } = one
  const differences = checkStorage(one, database)
  const isWritable = !existing.isComputed && (!existing.isAlwaysIdentity || column.kind === 'id')
  const { isGiven, hasDbDefault } = givenOf(column)
  if (isWritable || isGiven) return differences
  const [severity, so] = hasDbDefault
    ? (['warning', ': make its field readOnly, as no body can set it'] as const)
    : (['error', ', but the service writes it'] as const)
  const what = `${columnInModel(at.table, column)} is computed by the database${so}`
  return [...differences, { kind: 'computed', severity, at, column, what }]
}

/** Whether the column's type keeps the values as they are. */
export function checkStorage(one: ColumnPair, database: DatabaseName): readonly Difference[] {
  const { at, column, existing } = one
  const { table, found } = at
  const misfit = columnMisfit(database, column, existing, found.isStrict)
  if (misfit === undefined) return []
  const { kind, severity } = misfit
  const what = columnInModel(table, column) + misfit.what
  if (kind === 'default') return [{ kind, severity, at, column, found: existing.default, what }]
  const isForUs = database === 'postgres' && table.isWritable
  const wider = isForUs ? widening(table, column, existing, found.indexes) : undefined
  const types = { wanted: columnType(database, column), found: existing.definition }
  return [{ ...one, kind, severity, ...types, what, widening: wider, fix: wider?.statements }]
}

function checkNull(one: ColumnPair, database: DatabaseName): readonly Difference[] {
  const { column, existing } = one
  const { table } = one.at
  const { name, nullable } = column
  const { notNull, hasDefault, isComputed } = existing
  const givesNothing = !hasDefault && !isComputed
  const { isGiven, mayBeGiven, hasDbDefault } = givenOf(column)
  const lacksDefault = givesNothing && (notNull ? mayBeGiven : hasDbDefault)
  const unmet = lacksDefault ? [notGiven(one)] : []
  if (notNull && isGiven) return unmet
  // What a column of an id needs, the checks of keys say.
  if (nullable !== notNull || table.idColumns.includes(name)) return unmet
  // A row without a value in it is a row of no resource.
  if (name === table.discriminator) return unmet
  if (!isIdColumn(column) && column.keepsOrder === true) return unmet
  if (nullable ? TAKES_A_NULL.includes(existing.type) : isRowNumber(one.at.found, existing)) return unmet
  // What a generated column is computed from may never be null. SQLite takes null in a primary key that does not say
  // otherwise: in a table of links, no request meets such a row.
  const severity = isComputed || (database === 'sqlite' && table.primaryKey.includes(name)) ? 'warning' : 'error'
  const so = nullable ? 'is NOT NULL, but the model allows null' : 'allows null, but the model does not'
  const alter = nullable ? dropNotNull(table, name) : setNotNull(table, name)
  const fix = nullable ? [alter] : [...fillNulls(table, column, existing, database), alter]
  const [wanted, found] = nullable ? ['null', 'not null'] : ['not null', 'null']
  return [
    ...unmet,
    { ...one, kind: 'null', severity, wanted, found, what: `${columnInModel(table, column)} ${so}`, fix },
  ]
}

/** JSON has a null of its own. On SQLite, JSON is in a text. */
const TAKES_A_NULL = ['json', 'jsonb']

/** Whether the database gives new rows a value, as the field of a column says. */
function givenOf(column: ColumnLayout): Partial<Pick<FieldColumn, 'isGiven' | 'mayBeGiven' | 'hasDbDefault'>> {
  return isIdColumn(column) ? {} : column
}

function notGiven({ at, column, existing }: ColumnPair): Difference {
  const has = existing.notNull ? 'is NOT NULL and has no default' : 'has no default'
  const why = `${columnInModel(at.table, column)} ${has}, but ${whyNotGiven(column)}`
  const what = `${why}: give it a default, unless a trigger gives it a value`
  return { kind: 'default', severity: 'warning', at, column, wanted: 'a default', what }
}

function whyNotGiven(column: ColumnLayout): string {
  const { isGiven, hasDbDefault } = givenOf(column)
  if (hasDbDefault) return 'its field has dbDefault'
  return isGiven ? 'its field is read-only' : 'not every caller may set its field'
}

function inTheWay(at: Pair, name: string): Difference {
  const is = `column ${qualifiedColumn(at.table, name)} is NOT NULL, has no default, and is not in the model`
  const what = `${is}: no row can be inserted; give it a default, or let it be null`
  const found = 'not null without a default'
  return {
    kind: 'extra column',
    severity: 'error',
    at,
    columns: [name],
    found,
    what,
    fix: [dropNotNull(at.table, name)],
  }
}

const UTC = /^(?:(?:etc\/)?(?:utc|uct|gmt|zulu|universal|greenwich)|gmt[+-]?0)$/i

/** Columns of the type `timestamp` whose default is the time of the server's zone, while all else counts as UTC. */
export function checkDefaultMoments(at: Pair, { found: { timeZone } }: ComparedTable): readonly Difference[] {
  if (timeZone === undefined || isUtc(timeZone)) return []
  return at.table.columns.flatMap((column): readonly Difference[] => {
    const existing = at.found.columns.get(column.name)
    if (existing === undefined || !countsAsUtc(column) || !isLocalNow(existing)) return []
    const is = `${columnInModel(at.table, column)} is of type timestamp, which counts as UTC, but its default ${existing.default} is the time in ${timeZone}`
    const what = `${is}: declare stored: { zone: '${timeZone}' }, or stored: 'utc' if it holds times in UTC`
    const found = existing.default
    return [{ kind: 'default', severity: 'error', at, column, wanted: 'the time in UTC', found, what }]
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
