import { type DatabaseName, isGivenByInsert } from '@fastify-crud/core/internal'
import { isRowNumber } from '../../catalogs/found-columns.ts'
import type { FoundColumn, FoundTable } from '../../catalogs/found-tables.ts'
import { isPlainUnique } from '../../catalogs/found-tables.ts'
import { type ColumnLayout, type IdColumn, isIdColumn, type TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable, quotedText } from '../../quoted-names.ts'
import type { ComparedTable, Pair } from '../comparison.ts'
import { alteration, type FoundProblem, problem, qualifiedColumn } from '../table-problem.ts'

/** Whether the database assigns ids as the model expects it. */
export function checkIdColumns(pair: Pair, comparison: ComparedTable): readonly FoundProblem[] {
  return pair.table.columns
    .filter(({ name }) => pair.table.idColumns.includes(name))
    .flatMap((id) => checkIdColumn(pair, id, comparison))
}

function checkIdColumn(pair: Pair, id: ColumnLayout, { database }: ComparedTable): readonly FoundProblem[] {
  const column = pair.found.columns.get(id.name)
  if (column === undefined) return []
  const inexact = checkExactness(pair, id, column)
  if (inexact !== undefined) return [inexact]
  if (column.type === 'interval' && database === 'postgres') return [notAnId(pair, id)]
  if (!isIdColumn(id) || id.kind !== 'id') return database === 'sqlite' ? checkNoNulls(pair, id, column) : []
  if (id.ids.assignedBy !== 'database') return database === 'sqlite' ? checkNoNulls(pair, id, column) : []
  if (isGivenByInsert(id.ids)) return [...checkNoNulls(pair, id, column), ...checkDefault(pair, id, column, database)]
  return checkAssigned(pair, id.name, column, database)
}

/** Ids are compared exactly, also by the database. */
function checkExactness({ table, found }: Pair, id: ColumnLayout, column: FoundColumn): FoundProblem | undefined {
  const keys = found.indexes.filter(isPlainUnique).flatMap((index) => index.keys)
  const folds = keys.find((key) => key.column === id.name && /^(?:nocase|rtrim)$/i.test(key.collation ?? ''))
  const collation = column.isExact ? folds?.collation : column.collation
  if (collation === undefined) return undefined
  const what = `${qualifiedColumn(table, id.name)} has the collation ${collation}, which takes different ids for the same`
  return problem({
    kind: 'collation',
    severity: 'error',
    table,
    column: id.name,
    wanted: 'one that compares exactly',
    found: collation,
    what: `${what}: use one that compares exactly`,
  })
}

/** PostgreSQL takes a month for the same as 30 days, so two texts would be one id. */
function notAnId({ table }: Pair, { name }: ColumnLayout): FoundProblem {
  const what = `${qualifiedColumn(table, name)} is of type interval, which cannot be part of an id`
  return problem({ kind: 'type', severity: 'error', table, column: name, wanted: 'text', found: 'interval', what })
}

/** SQLite takes NULL in a primary key, unless the column says otherwise. */
function checkNoNulls({ table }: Pair, id: ColumnLayout, { notNull, type }: FoundColumn): readonly FoundProblem[] {
  const isRowNumber = table.idColumns.length === 1 && /int/i.test(type)
  if (notNull || isRowNumber) return []
  const what = `${qualifiedColumn(table, id.name)} is not NOT NULL: SQLite then takes rows without an id, which no request can reach`
  return [
    problem({
      kind: 'null',
      severity: 'warning',
      table,
      column: id.name,
      wanted: 'not null',
      found: 'null',
      what,
    }),
  ]
}

function checkDefault(
  { table }: Pair,
  id: IdColumn,
  { hasDefault }: FoundColumn,
  database: DatabaseName,
): readonly FoundProblem[] {
  if (hasDefault) return []
  return [
    problem({
      kind: 'id',
      severity: 'error',
      table,
      column: id.name,
      wanted: 'a default',
      what: `${qualifiedColumn(table, id.name)} has no default, but the model says that the database assigns ids`,
      fix: alteration(database, table, `ALTER COLUMN ${quoted(id.name)} SET DEFAULT gen_random_uuid()`),
    }),
  ]
}

function checkAssigned(
  { table, found }: Pair,
  id: string,
  column: FoundColumn,
  database: DatabaseName,
): readonly FoundProblem[] {
  if (database === 'sqlite') return checkRowNumber(table, found, id, column)
  if (column.sequence !== undefined) return []
  const finding = { kind: 'id', severity: 'error', table, column: id, wanted: 'a sequence' } as const
  const at = qualifiedColumn(table, id)
  if (column.hasDefault) {
    const what = `${at} has a default, but it is not that of a sequence: declare who assigns the ids`
    return [problem({ ...finding, found: column.default, what })]
  }
  return [problem({ ...finding, what: `${at} is not assigned by the database`, fix: identity(table, id) })]
}

/** A new sequence begins at 1, whatever ids there are. */
function identity(table: TableLayout, id: string): readonly string[] {
  const name = quotedTable(table)
  const sequence = `pg_get_serial_sequence(${quotedText(name)}, ${quotedText(id)})`
  return [
    `ALTER TABLE ${name} ALTER COLUMN ${quoted(id)} ADD GENERATED BY DEFAULT AS IDENTITY`,
    `SELECT setval(${sequence}, (SELECT greatest(max(${quoted(id)}), 0) + 1 FROM ${name}), false)`,
  ]
}

/** SQLite gives a row a number if the key is exactly `INTEGER PRIMARY KEY`
 * (https://www.sqlite.org/lang_createtable.html#rowid). */
function checkRowNumber(
  table: TableLayout,
  found: FoundTable,
  id: string,
  column: FoundColumn,
): readonly FoundProblem[] {
  if (isRowNumber(found, column)) return []
  const so = "declare { kind: 'integer', assign: 'client' }, or make it INTEGER PRIMARY KEY"
  const [is, why] = whyNoRowNumber(found, column)
  return [
    problem({
      kind: 'id',
      severity: 'error',
      table,
      column: id,
      wanted: ROW_NUMBER,
      found: is,
      what: `SQLite gives ${qualifiedColumn(table, id)} no value, as ${why}: ${so}`,
    }),
  ]
}

const ROW_NUMBER = 'INTEGER PRIMARY KEY AUTOINCREMENT'

function whyNoRowNumber({ hasNoRowNumbers }: FoundTable, { type }: FoundColumn): readonly [is: string, why: string] {
  if (hasNoRowNumbers) return ['WITHOUT ROWID', 'the table is WITHOUT ROWID']
  if (!/^integer$/i.test(type)) return [type, `its type is ${type}, and not INTEGER`]
  return ['DESC', 'its key is not the row number, such as INTEGER PRIMARY KEY DESC']
}

/** One problem for all tables: it is the same everywhere, and only a new table would mend it. */
export function checkIdsGivenAgain({ database, layout, found }: ComparedTable): readonly FoundProblem[] {
  if (database !== 'sqlite') return []
  const given = [...layout.values()].flatMap((table) => {
    const existing = found.tables.get(table.key)
    const id = table.columns.find((column) => isIdColumn(column) && column.kind === 'id')
    const column = existing?.columns.get(id?.name ?? '')
    if (existing === undefined || column === undefined || !isAssigned(id) || !isRowNumber(existing, column)) return []
    return existing.isAutoIncrement ? [] : [{ table, column: column.name }]
  })
  const [first, another] = given
  if (first === undefined) return []
  const names = given.map(({ table, column }) => qualifiedColumn(table, column))
  const what = `${names.join(', ')} ${another === undefined ? 'is' : 'are'} not AUTOINCREMENT: a new record can get the id of one that was deleted`
  const place = another === undefined ? first : {}
  return [
    problem({ kind: 'id', severity: 'warning', ...place, wanted: ROW_NUMBER, found: 'INTEGER PRIMARY KEY', what }),
  ]
}

function isAssigned(id: ColumnLayout | undefined): boolean {
  return id !== undefined && isIdColumn(id) && id.ids.assignedBy === 'database' && !isGivenByInsert(id.ids)
}
