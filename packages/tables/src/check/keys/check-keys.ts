import type { DatabaseName } from '@fastify-crud/core/internal'
import type { FoundIndex, FoundTable } from '../../catalogs/found-tables.ts'
import { isNameTaken, isPlainUnique, isSameSet, uniqueKeysOf } from '../../catalogs/found-tables.ts'
import { addUnique, conditionText, dropUnique, type UniqueIndex, uniqueIndex } from '../../create/wanted-indexes.ts'
import { columnsIn, type TableLayout, type UniqueLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import type { ComparedTable } from '../comparison.ts'
import { alteration, type Difference, type Pair } from '../difference.ts'
import { checkIdColumns } from './check-ids.ts'
import { isPartOfTable } from './whole-keys.ts'

/** Primary keys, ids that the database gives, and unique constraints. */
export function checkKeys(at: Pair, comparison: ComparedTable): readonly Difference[] {
  return [
    ...checkPrimaryKey(at, comparison),
    ...checkIdColumns(at, comparison),
    ...at.table.uniques.flatMap((unique) => checkUnique(at, unique, comparison)),
    ...checkUniquesOfAll(at, comparison),
    ...checkUnknownUniques(at),
  ]
}

function checkPrimaryKey(at: Pair, comparison: ComparedTable): readonly Difference[] {
  const { table, found } = at
  const { primaryKey } = table
  if (!areThere(found, primaryKey)) return []
  if (found.indexes.some((index) => isPlainUnique(index) && isSameSet(index.columns, primaryKey))) return []
  const wanted = `(${primaryKey.join(', ')})`
  const columns = primaryKey.length === 1 ? primaryKey : []
  const what = `${table.name} has no primary key ${wanted}`
  return [{ kind: 'key', severity: 'error', at, columns, wanted, what, fix: primaryKeyFix(at, comparison) }]
}

/** A table can have one primary key only, and SQLite adds none. A unique key over several columns does as well. */
function primaryKeyFix({ table, found }: Pair, { database, nameOf }: ComparedTable): Difference['fix'] {
  const { primaryKey } = table
  if (!found.indexes.some(({ isPrimary }) => isPrimary)) {
    const add = alteration(database, table, `ADD PRIMARY KEY (${quoted(...primaryKey)})`)
    if (add !== undefined) return add
  }
  const name = nameOf(table, 'key', primaryKey)
  if (primaryKey.length === 1 || isNameTaken(found, name)) return undefined
  return [`CREATE UNIQUE INDEX ${quoted(name)} ON ${quotedTable(table)} (${quoted(...primaryKey)})`]
}

function checkUnique(at: Pair, unique: UniqueLayout, comparison: ComparedTable): readonly Difference[] {
  const { table, found } = at
  const { columns, where } = unique
  if (!areThere(found, [...columns, ...where.map(({ column }) => column)])) return []
  const keys = uniqueKeysOf(found, unique).filter((key) => !isForAll(key, unique))
  const condition = where.length === 0 ? '' : ` where ${conditionText(comparison.database, where)}`
  const list = `(${columns.join(', ')})${condition}`
  const wanted = `unique ${list}`
  const index = uniqueIndex(comparison.database, table, unique, comparison.nameOf)
  const difference = { kind: 'unique', severity: 'error', at, index, columns, wanted } as const
  if (keys.length === 0) {
    const near = found.indexes.find((index) => index.isUnique && isSameSet(index.columns, columns))
    const is = near && describedIndex(near, where.length > 0)
    const why = near === undefined ? '' : ` (${near.name} is ${is})`
    const what = `no unique constraint keeps ${table.name} ${list} unique${why}`
    return [{ ...difference, found: is, what, fix: uniqueFix(at, index, comparison) }]
  }
  const mayBeNull = table.columns.some(({ name, nullable }) => nullable && columns.includes(name))
  if (!mayBeNull || !keys.every(({ nullsAreEqual }) => nullsAreEqual)) return []
  const is = `the unique constraint ${keys[0]?.name} on ${table.name} treats nulls as equal (NULLS NOT DISTINCT)`
  const what = `${is}: a second record without a value is refused`
  return [{ ...difference, found: 'nulls not distinct', what }]
}

/** Whether it holds for deleted records, too, for which it must not. */
function isForAll({ isPartial, isPrimary, isUnique, columns }: FoundIndex, unique: UniqueLayout): boolean {
  if (unique.isAmongKept !== true || !isUnique || isPartial || isPrimary) return false
  return isSameSet(columns, unique.columns)
}

/** Unique keys by which deleted records would keep others from having their values. */
function checkUniquesOfAll(at: Pair, { database }: ComparedTable): readonly Difference[] {
  const { table } = at
  return at.found.indexes.flatMap((index): readonly Difference[] => {
    const unique = table.uniques.find((one) => isForAll(index, one))
    if (unique === undefined) return []
    const { name } = index
    const { columns } = unique
    const list = `(${columns.join(', ')})`
    const what = `the unique constraint ${name} on ${table.name} ${list} holds for deleted records, too, so nobody else can have their values`
    const wanted = `unique ${list} where ${conditionText(database, unique.where)}`
    const advice = 'it is part of the table, which generate makes anew'
    const fix = removal(database, table, index)
    const texts = { wanted, found: `unique ${list}`, what, fix, advice }
    return [{ kind: 'extra unique', severity: 'error', at, index, columns, ...texts }]
  })
}

/** SQLite keeps the index of a constraint as long as the table. */
function removal(database: DatabaseName, table: TableLayout, index: FoundIndex): Difference['fix'] {
  if (database === 'postgres') return dropUnique(database, table, index.name)
  return isPartOfTable(index) ? undefined : [`DROP INDEX ${quoted(index.name)}`]
}

/** In which way an index over the right columns is not the key. */
function describedIndex({ isPartial, where }: FoundIndex, isWantedPartial: boolean): string {
  if (!isPartial) return isWantedPartial ? 'for all rows' : 'initially deferred'
  if (!isWantedPartial) return 'partial'
  return where === undefined ? 'partial, with a condition of another kind' : 'partial, with another condition'
}

function uniqueFix({ table, found }: Pair, index: UniqueIndex, { database }: ComparedTable): Difference['fix'] {
  const create = addUnique(database, index)
  const namesake = found.indexes.find(({ name }) => name === index.name)
  if (namesake === undefined) return [create]
  // No index is deferred, only a constraint.
  if (!namesake.isDeferred || !isSameSet(namesake.columns, index.columns)) return undefined
  return [`ALTER TABLE ${quotedTable(table)} DROP CONSTRAINT ${quoted(index.name)}`, create]
}

/** Writes are ordered by the unique keys that the model knows; others are in their way. */
function checkUnknownUniques(at: Pair): readonly Difference[] {
  const { table, found } = at
  const inModel = new Set<string | undefined>(table.columns.map(({ name }) => name))
  // A key over the fields alone holds for the rows of all resources that share the table.
  const uniques = columnsIn(table.uniques).map((key) => key.filter((column) => column !== table.discriminator))
  const known = [table.primaryKey, ...uniques]
  return found.indexes
    .filter((index) => isPlainUnique(index) && !index.isPrimary && index.columns.every((column) => inModel.has(column)))
    .filter((index) => !table.uniques.some((unique) => isForAll(index, unique)))
    .filter((index) => !known.some((key) => key.every((column) => index.columns.includes(column))))
    .map((index) => {
      const columns = index.columns.filter((column) => column !== undefined)
      const list = `(${columns.join(', ')})`
      const is = `the unique constraint ${index.name} on ${table.name} ${list} is not in the model`
      const so =
        "a request that swaps values or moves them between records may be refused; name it in the descriptor's 'unique'"
      const texts = { found: `unique ${list}`, what: `${is}: ${so}` }
      return { kind: 'extra unique', severity: 'warning', at, index, columns, ...texts }
    })
}

function areThere(found: FoundTable, columns: readonly string[]): boolean {
  return columns.every((column) => found.columns.has(column))
}
