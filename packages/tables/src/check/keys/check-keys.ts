import type { DatabaseName } from '@fastify-crud/core/internal'
import type { FoundIndex, FoundTable } from '../../catalogs/found-tables.ts'
import { isNameTaken, isPlainUnique, isSameSet, uniqueKeysOf } from '../../catalogs/found-tables.ts'
import { uniqueName } from '../../create/constraint-names.ts'
import { addUnique, conditionText } from '../../create/wanted-indexes.ts'
import { columnsIn, type TableLayout, type UniqueLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import type { ComparedTable, Pair } from '../comparison.ts'
import { alteration, type FoundProblem, problem } from '../table-problem.ts'
import { checkIdColumns } from './check-ids.ts'

/** Primary keys, ids that the database gives, and unique constraints. */
export function checkKeys(pair: Pair, comparison: ComparedTable): readonly FoundProblem[] {
  return [
    ...checkPrimaryKey(pair, comparison),
    ...checkIdColumns(pair, comparison),
    ...pair.table.uniques.flatMap((unique) => checkUnique(pair, unique, comparison)),
    ...checkUniquesOfAll(pair, comparison),
    ...checkUnknownUniques(pair),
  ]
}

function checkPrimaryKey({ table, found }: Pair, comparison: ComparedTable): readonly FoundProblem[] {
  const { primaryKey } = table
  if (!areThere(found, primaryKey)) return []
  if (found.indexes.some((index) => isPlainUnique(index) && isSameSet(index.columns, primaryKey))) return []
  const key = `(${primaryKey.join(', ')})`
  return [
    problem({
      kind: 'key',
      severity: 'error',
      table,
      column: onlyColumn(primaryKey),
      wanted: key,
      what: `${table.name} has no primary key ${key}`,
      fix: primaryKeyFix({ table, found }, comparison),
    }),
  ]
}

/** A table can have one primary key only, and SQLite adds none. A unique key over several columns does as well. */
function primaryKeyFix({ table, found }: Pair, { database, nameOf }: ComparedTable): string | undefined {
  const { primaryKey } = table
  if (!found.indexes.some(({ isPrimary }) => isPrimary)) {
    const add = alteration(database, table, `ADD PRIMARY KEY (${quoted(...primaryKey)})`)
    if (add !== undefined) return add
  }
  const name = nameOf(table, 'key', primaryKey)
  if (primaryKey.length === 1 || isNameTaken(found, name)) return undefined
  return `CREATE UNIQUE INDEX ${quoted(name)} ON ${quotedTable(table)} (${quoted(...primaryKey)})`
}

function checkUnique(pair: Pair, unique: UniqueLayout, comparison: ComparedTable): readonly FoundProblem[] {
  const { table, found } = pair
  const { columns, where } = unique
  if (!areThere(found, [...columns, ...where.map(({ column }) => column)])) return []
  const keys = uniqueKeysOf(found, unique).filter((key) => !isForAll(key, unique))
  const only = onlyColumn(columns)
  const condition = where.length === 0 ? '' : ` where ${conditionText(comparison.database, where)}`
  const list = `(${columns.join(', ')})${condition}`
  const wanted = `unique ${list}`
  const finding = { kind: 'unique', severity: 'error', table, column: only, columns, wanted } as const
  if (keys.length === 0) {
    const near = found.indexes.find((index) => index.isUnique && isSameSet(index.columns, columns))
    const is = near && describedIndex(near, where.length > 0)
    const why = near && `${near.name} is ${is}`
    const what = `no unique constraint keeps ${table.name} ${list} unique`
    return [
      problem({
        ...finding,
        found: is,
        what: why === undefined ? what : `${what} (${why})`,
        fix: uniqueFix(pair, unique, comparison),
      }),
    ]
  }
  const mayBeNull = table.columns.some(({ name, nullable }) => nullable && columns.includes(name))
  if (!mayBeNull || !keys.every(({ nullsAreEqual }) => nullsAreEqual)) return []
  const what = `the unique constraint ${keys[0]?.name} on ${table.name} treats nulls as equal (NULLS NOT DISTINCT)`
  return [
    problem({ ...finding, found: 'nulls not distinct', what: `${what}: a second record without a value is refused` }),
  ]
}

/** Whether it holds for deleted records, too, for which it must not. */
function isForAll({ isPartial, isPrimary, isUnique, columns }: FoundIndex, unique: UniqueLayout): boolean {
  if (unique.isAmongKept !== true || !isUnique || isPartial || isPrimary) return false
  return isSameSet(columns, unique.columns)
}

/** Unique keys by which deleted records would keep others from having their values. */
function checkUniquesOfAll({ table, found }: Pair, { database }: ComparedTable): readonly FoundProblem[] {
  return found.indexes.flatMap((index) => {
    const unique = table.uniques.find((one) => isForAll(index, one))
    if (unique === undefined) return []
    const { name } = index
    const list = `(${unique.columns.join(', ')})`
    const what = `the unique constraint ${name} on ${table.name} ${list} holds for deleted records, too, so nobody else can have their values`
    return [
      problem({
        kind: 'extra unique',
        severity: 'error',
        table,
        column: onlyColumn(unique.columns),
        wanted: `unique ${list} where ${conditionText(database, unique.where)}`,
        found: `unique ${list}`,
        name,
        columns: unique.columns,
        what,
        fix: removal(database, table, name),
        advice: 'it is part of the table, which generate makes anew',
      }),
    ]
  })
}

/** SQLite keeps the index of a constraint as long as the table. */
function removal(database: DatabaseName, table: TableLayout, name: string): readonly string[] | undefined {
  if (database === 'sqlite') return name.startsWith('sqlite_autoindex_') ? undefined : [`DROP INDEX ${quoted(name)}`]
  const path = table.schema === undefined ? quoted(name) : `${quoted(table.schema)}.${quoted(name)}`
  return [`ALTER TABLE ${quotedTable(table)} DROP CONSTRAINT IF EXISTS ${quoted(name)}`, `DROP INDEX IF EXISTS ${path}`]
}

/** In which way an index over the right columns is not the key. */
function describedIndex({ isPartial, where }: FoundIndex, isWantedPartial: boolean): string {
  if (!isPartial) return isWantedPartial ? 'for all rows' : 'initially deferred'
  if (!isWantedPartial) return 'partial'
  return where === undefined ? 'partial, with a condition of another kind' : 'partial, with another condition'
}

function uniqueFix(
  { table, found }: Pair,
  unique: UniqueLayout,
  { database, nameOf }: ComparedTable,
): string | readonly string[] | undefined {
  const name = uniqueName(nameOf, table, unique)
  const create = addUnique(database, table, unique, nameOf)
  const namesake = found.indexes.find((index) => index.name === name)
  if (namesake === undefined) return create
  // No index is deferred, only a constraint.
  if (!namesake.isDeferred || !isSameSet(namesake.columns, unique.columns)) return undefined
  return [`ALTER TABLE ${quotedTable(table)} DROP CONSTRAINT ${quoted(name)}`, create]
}

/** Writes are ordered by the unique keys that the model knows; others are in their way. */
function checkUnknownUniques({ table, found }: Pair): readonly FoundProblem[] {
  const inModel = new Set<string | undefined>(table.columns.map(({ name }) => name))
  // A key over the fields alone holds for the rows of all resources that share the table.
  const uniques = columnsIn(table.uniques).map((key) => key.filter((column) => column !== table.discriminator))
  const known = [table.primaryKey, ...uniques]
  return found.indexes
    .filter((index) => isPlainUnique(index) && !index.isPrimary && index.columns.every((column) => inModel.has(column)))
    .filter((index) => !table.uniques.some((unique) => isForAll(index, unique)))
    .filter(({ columns }) => !known.some((key) => key.every((column) => columns.includes(column))))
    .map(({ name, columns }) => {
      const what = `the unique constraint ${name} on ${table.name} (${columns.join(', ')}) is not in the model`
      const so =
        "a request that swaps values or moves them between records may be refused; name it in the descriptor's 'unique'"
      return problem({
        kind: 'extra unique',
        severity: 'warning',
        table,
        column: onlyColumn(columns),
        found: `unique (${columns.join(', ')})`,
        name,
        columns: columns.filter((column) => column !== undefined),
        what: `${what}: ${so}`,
      })
    })
}

/** A problem is one column's if there is only one. */
function onlyColumn(columns: FoundIndex['columns']): string | undefined {
  return columns.length === 1 ? columns[0] : undefined
}

function areThere(found: FoundTable, columns: readonly string[]): boolean {
  return columns.every((column) => found.columns.has(column))
}
