import type { AnyKysely, Model } from '@fastify-crud/core'
import { databaseErrorKind, databaseOf, type Field, type Resource, shortened } from '@fastify-crud/core/internal'
import { toDatabaseNames } from '../catalogs/database-names.ts'
import type { FoundColumn, FoundTable, FoundTables, Trigrams } from '../catalogs/found-tables.ts'
import { isNameTaken } from '../catalogs/found-tables.ts'
import { findTables } from '../catalogs/list-tables.ts'
import { makeSearchTable, missingSearch } from '../create/search-table.ts'
import {
  createTrigrams,
  declaredIndex,
  hasIndex,
  type WantedIndex,
  wantedIndexes,
  wantedTrigrams,
} from '../create/wanted-indexes.ts'
import { columnType } from '../layout/column-type.ts'
import { withHistory } from '../layout/own-tables.ts'
import type { ColumnLayout, TableLayout } from '../layout/table-layout.ts'
import { tableLayout } from '../layout/tables-of-model.ts'
import { aboutColumnOfView, keyStyleOf } from '../layout/tenant-keys.ts'
import { quoted } from '../quoted-names.ts'
import { checkColumns, checkDefaultMoments, checkStorage } from './columns/check-columns.ts'
import { columnMisfit } from './columns/column-misfit.ts'
import { type ComparedTable, compare, typedAsFound } from './comparison.ts'
import { alteration, columnInModel, type Difference, type Pair, qualifiedColumn } from './difference.ts'
import { checkForeignKeys, checkUnknownForeignKeys } from './keys/check-foreign-keys.ts'
import { checkIdsGivenAgain } from './keys/check-ids.ts'
import { checkKeys } from './keys/check-keys.ts'
import { checkPlainKeys } from './keys/whole-keys.ts'
import { type TableProblem, toTableProblem } from './table-problem.ts'
import { findReservedIds, findUnfitValues, type UnfitValues, type Unreadable } from './values/check-values.ts'

/**
 * Compares an existing database with a model. Resolves to every difference that would break a promise of the service:
 * missing tables and columns, types that do not keep the values, null where it may not be and the other way round,
 * missing primary, unique and foreign keys, foreign keys that are not enforced or delete what they should not, ids that
 * are given twice, foreign keys without an index, indexes of the descriptors that are missing, values that do not fit.
 * Empty for what `createTables` has made.
 *
 * Reads the catalogs in a few queries whatever the number of tables, and the last 100 rows of each; changes nothing.
 * The result is sorted by table and column; its names are the database's.
 *
 * Rejects with a TypeError for a database that is not supported, or for names that are the same in the database.
 *
 * @example
 * for (const { severity, message } of await checkTables(db, resources)) log[severity](message)
 */
export async function checkTables(db: AnyKysely, model: Model): Promise<readonly TableProblem[]> {
  const database = databaseOf(db)
  const tables = toDatabaseNames(db, withHistory(model))
  const found = await findTables(db, tables)
  const comparison = compare(database, typedAsFound(database, tables, found), found)
  const differences = [
    ...differencesOf(comparison),
    ...checkPlainKeys(db, keyStyleOf(model), tableLayout(model, 'whole'), comparison),
    ...(await checkStoredValues(db, model, comparison)),
  ]
  return differences
    .map(toTableProblem)
    .sort((a, b) => byName(a.table, b.table) || byName(a.column, b.column) || byName(a.message, b.message))
}

/** All differences but those of the values in rows. */
export function differencesOf(comparison: ComparedTable): readonly Difference[] {
  return [
    ...checkConnection(comparison),
    ...[...comparison.layout.values()].flatMap((table) => checkTable(table, comparison)),
    ...checkUnknownForeignKeys(comparison),
    ...checkIdsGivenAgain(comparison),
  ]
}

function checkTable(table: TableLayout, comparison: ComparedTable): readonly Difference[] {
  const found = comparison.found.tables.get(table.key)
  if (found === undefined) {
    const creator = table.isWritable ? 'createTables creates it' : 'its resource has writable: false, so you create it'
    const what = `the table ${table.name} is missing: ${creator}`
    return [{ kind: 'table', severity: 'error', at: { table }, wanted: 'table', what }]
  }
  const at = { table, found }
  if (!table.isWritable) return checkReadColumns(at, comparison)
  if (!found.isTable) {
    const what = `${table.name} is a view, where a table is needed: declare writable: false, if requests only read it`
    return [{ kind: 'table', severity: 'error', at, wanted: 'table', found: 'view', what }]
  }
  const checks = [checkColumns, checkDefaultMoments, checkKeys, checkForeignKeys, checkIndexes]
  return [...checkRules(at), ...checks.flatMap((check) => check(at, comparison))]
}

/** PostgreSQL's own rules: of a table that has some, it takes few of the statements that the service sends. */
function checkRules(at: Pair): readonly Difference[] {
  return (at.found.rules ?? []).map(({ name, event, isInstead }) => {
    const does = isInstead ? 'does something else in the place of' : 'does more than'
    const what = `the table ${at.table.name} has a rule, ${name}, which ${does} each ${event}, so requests are refused`
    const advice = 'make it a trigger, or declare writable: false, if requests only read the table'
    const severity = isInstead && event !== 'DELETE' ? 'error' : 'warning'
    return { kind: 'table', severity, at, found: 'rule', what, advice }
  })
}

function checkConnection({ database, found }: ComparedTable): readonly Difference[] {
  const differences: Difference[] = []
  if (!found.enforcesForeignKeys) {
    const fix = [database === 'sqlite' ? 'PRAGMA foreign_keys = ON' : "SET session_replication_role = 'origin'"]
    const what = 'foreign keys are not enforced on this connection'
    differences.push({ kind: 'connection', severity: 'error', what, fix })
  }
  if (found.roundsNumbers) {
    const mend = 'set it to 1, the default, for the database or the role: ALTER ROLE … SET extra_float_digits = 1'
    const what = `extra_float_digits is below 1, so PostgreSQL rounds numbers as it prints them: ${mend}`
    differences.push({ kind: 'connection', severity: 'error', what })
  }
  return differences
}

function byName(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/**
 * What keeps the columns of a view, or of a table that others write, from being read as the model says. They come
 * without advice to alter them, and without keys: nothing tells which a view has.
 */
function checkReadColumns(at: Pair, { database }: ComparedTable): readonly Difference[] {
  const { table, found } = at
  return table.columns.flatMap((column): readonly Difference[] => {
    const existing = found.columns.get(column.name)
    if (existing === undefined) {
      const so = found.isTable ? '' : aboutColumnOfView(column)
      const what = `${columnInModel(table, column)} is missing${so}`
      return [{ kind: 'column', severity: 'error', at, column, wanted: columnType(database, column), what }]
    }
    const one = { at, column, existing }
    // Warnings are about values that somebody would have to write.
    const ofType = checkStorage(one, database).filter(({ severity }) => severity === 'error')
    // Of a view, no catalog says whether a column may be null: its rows do, as far as they are looked at.
    const mayBeNull = found.isTable && !existing.notNull && !column.nullable && !table.idColumns.includes(column.name)
    if (!mayBeNull) return ofType
    const what = `${columnInModel(table, column)} allows null, but the model does not: declare that it may be null`
    return [...ofType, { ...one, kind: 'null', severity: 'error', wanted: 'not null', found: 'null', what }]
  })
}

/** Columns that hold values which no answer can show, or which no body could send back. Looks at some rows of each
 * table. */
async function checkStoredValues(
  db: AnyKysely,
  model: Model,
  comparison: ComparedTable,
): Promise<readonly Difference[]> {
  try {
    const unfit = await findUnfitValues(db, model, (resource, field) => canBeRead(comparison, resource, field))
    const withTexts = [...model.resources.values()].filter((resource) => hasTextIds(comparison, resource))
    const reserved = await findReservedIds(db, model, withTexts)
    return [
      ...unfit.map((one) => ofValues(comparison, one)),
      ...reserved.map(([resource, id]) => ofReservedId(comparison, resource, id)),
    ]
  } catch (error) {
    // Who checks tables may see the catalogs only.
    if (databaseErrorKind(error) === 'forbidden') return []
    throw error
  }
}

/** Whether paths have texts of a column as ids, and the table has them, too. */
function hasTextIds({ database, layout, found }: ComparedTable, resource: Resource): boolean {
  const [table, existing] = [layout.get(resource.table), found.tables.get(resource.table)]
  const column = table?.columns.find(({ name }) => name === columnInPaths(resource))
  const stored = column && existing?.columns.get(column.name)
  const isText = resource.shortId.name === 'text' && resource.isWritable
  if (!isText || stored === undefined || existing?.isTable !== true) return false
  return columnMisfit(database, column as ColumnLayout, stored, existing.isStrict)?.severity !== 'error'
}

/** Where one column has the ids as paths have them, this. */
function columnInPaths({ idMembers, idColumns }: Resource): string {
  return idMembers.find(({ kind }) => kind !== 'ownedBy')?.column ?? idColumns[0]
}

function ofReservedId({ layout, found }: ComparedTable, resource: Resource, id: string): Difference {
  const table = layout.get(resource.table) as TableLayout
  const what = `${table.name} has ids that begin with '$', such as '${shortened(id)}': paths that begin so belong to the library, and no path reaches a record whose id is the name of one`
  return {
    kind: 'id',
    severity: 'warning',
    at: { table, found: found.tables.get(table.name) as FoundTable },
    columns: [columnInPaths(resource)],
    what,
    advice: 'give these records other ids',
  }
}

/** Whether there is a column of the field, of a type that holds its values. Of another type there is a difference
 * already. */
function canBeRead({ database, layout, found }: ComparedTable, resource: Resource, field: Field): boolean {
  const table = layout.get(resource.table)
  const existing = found.tables.get(resource.table)
  const column = table && columnOf(table, field)
  const stored = column && existing?.columns.get(column.name)
  if (table === undefined || stored === undefined || existing === undefined) return false
  if (table.isWritable && !existing.isTable) return false
  if (!table.idColumns.every((name) => existing.columns.has(name))) return false
  return columnMisfit(database, column as ColumnLayout, stored, existing.isStrict)?.severity !== 'error'
}

function columnOf({ columns }: TableLayout, { column }: Field): ColumnLayout | undefined {
  return columns.find(({ name }) => name === column)
}

function ofValues({ layout }: ComparedTable, found: UnfitValues | Unreadable): Difference {
  const table = layout.get(found.resource.table) as TableLayout
  const difference = { kind: 'value', severity: 'error', at: { table } } as const
  if ('error' in found) {
    return { ...difference, what: `the rows of ${table.name} cannot be read: ${found.error.message}` }
  }
  const { resource, field, count, rows, id, reason } = found
  const column = columnOf(table, field) as ColumnLayout
  const some = `holds values that do not fit the field's schema, in ${count} of ${rows} rows that were looked at`
  const where = resource.hasId ? `that with the id ${id}` : 'one of them'
  return { ...difference, column, what: `${columnInModel(table, column)} ${some}: in ${where}, ${reason}` }
}

/** Indexes of the descriptor that are missing, and columns in them that do not sort by code point. */
function checkIndexes(at: Pair, comparison: ComparedTable): readonly Difference[] {
  const { table, found } = at
  const { database } = comparison
  const { trigrams } = comparison.found
  const wanted = [...wantedIndexes(database, table, found), ...wantedTrigrams(table, trigrams, found)].filter(
    ({ keys }) => keys.every(({ column }) => found.columns.has(column.name)),
  )
  const texts = new Set(
    wanted.flatMap(({ keys }) => keys.flatMap(({ column, part }) => (part === 'value' ? [column] : []))),
  )
  return [
    ...wanted.filter((index) => !hasIndex(database, found, index)).map((index) => missing(at, index, comparison)),
    ...(table.searched.length > 0 && database === 'postgres' ? checkTrigrams(at, trigrams) : []),
    ...(table.searched.length > 0 && database === 'sqlite' ? checkSearch(at, comparison.found) : []),
    ...[...texts].flatMap((column) => checkCollation(at, column, comparison)),
  ]
}

/** PostgreSQL: why there can be no indexes for searches. */
function checkTrigrams(at: Pair, trigrams: Trigrams | undefined): readonly Difference[] {
  if (trigrams?.schema !== undefined || trigrams?.mayCreate === true) return []
  const why =
    trigrams === undefined
      ? 'a database with an ICU locale needs PostgreSQL 17 or later for it'
      : 'the extension pg_trgm is missing, and this role may not create it'
  const what = `${noSearch(at)}: ${why}, so they read the whole table`
  const advice = trigrams && 'have an owner of the database run CREATE EXTENSION pg_trgm'
  return [{ kind: 'index', severity: 'warning', at, wanted: 'an index for searches', what, advice }]
}

/** SQLite: an index for searches that is missing, or is not as it should be. */
function checkSearch(at: Pair, found: FoundTables): readonly Difference[] {
  const { isPossible } = found.searches
  const search = missingSearch(found.searches, at.table, at.found)
  if (isPossible && search === undefined) return []
  const what = `${noSearch(at)}: ${isPossible ? '' : 'this SQLite lacks the trigrams of FTS5, so '}they read the whole table`
  const fix = search && makeSearchTable(search, found.searches)
  return [{ kind: 'index', severity: 'warning', at, wanted: 'an index for searches', what, fix }]
}

function noSearch({ table }: Pair): string {
  return `${table.name} has no index for searches over (${table.searched.join(', ')})`
}

function missing(at: Pair, wanted: WantedIndex, { database, nameOf }: ComparedTable): Difference {
  const { isDescending, trigrams } = wanted
  const index = declaredIndex(database, wanted, nameOf)
  const { columns } = index
  const order = trigrams ? ' for searches' : isDescending ? ' in descending order with nulls last' : ''
  const over = `index over (${columns.join(', ')})${order}`
  const so = trigrams ? 'they read the whole table' : 'filters and sorts by it may read the whole table'
  const fix = [createTrigrams(wanted) ?? [], `CREATE INDEX ${index.definition}`].flat()
  return {
    ...{ kind: 'index', severity: 'warning', at, index, columns, wanted: `an ${over}` },
    what: `${at.table.name} has no ${over}: ${so}`,
    fix: isNameTaken(at.found, index.name) ? undefined : fix,
  }
}

/** PostgreSQL: an index serves one collation only, and strings sort by code point. */
function checkCollation(at: Pair, column: ColumnLayout, { database }: ComparedTable): readonly Difference[] {
  const { table } = at
  const { collation: found, definition } = at.found.columns.get(column.name) as FoundColumn
  if (column.kind !== 'string' || found === undefined || found === 'C') return []
  const has = found === 'default' ? "the database's collation" : `the collation ${found}`
  const what = `${qualifiedColumn(table, column.name)} has ${has}, so sorts and comparisons by code point use no index of it`
  const fix = alteration(database, table, `ALTER COLUMN ${quoted(column.name)} TYPE ${definition} COLLATE "C"`)
  return [{ kind: 'collation', severity: 'warning', at, column, wanted: 'C', found, what, fix }]
}
