import type { DatabaseName } from '@fastify-crud/core/internal'
import { isSameSet, primaryKeyOf, uniqueKeysOf } from '../../catalogs/found-indexes.ts'
import type { FoundForeignKey, FoundIndex } from '../../catalogs/found-tables.ts'
import { isKeyByItself } from '../../create/create-table.ts'
import type { ForeignKeyLayout, TableLayout, UniqueLayout } from '../../layout/table-layout.ts'
import type { Comparison, Pair } from '../comparison.ts'

/** The keys of a table that begin with the tenant in the model, and do not in the database. */
export interface PlainKeys extends Pair {
  /** The primary key; undefined where the model's columns are a key already. */
  readonly primary: FoundIndex | undefined
  /** SQLite: the primary key stays, as it is the number of the row. The model's columns become a unique key beside it. */
  readonly staysPrimary: boolean
  readonly uniques: readonly PlainUnique[]
  readonly foreignKeys: readonly FoundForeignKey[]
  /** The foreign keys of the model in their place, and the one to the tenants if it is missing. */
  readonly newForeignKeys: readonly ForeignKeyLayout[]
}

export interface PlainUnique {
  readonly found: readonly FoundIndex[]
  readonly wanted: UniqueLayout
  /** Whether the model's key is there, too. */
  readonly isThere: boolean
}

/**
 * `comparison`: with the layout whose keys begin with the tenant. Only tables that have plain keys. Of tables that the
 * service only reads, the model knows no keys but the foreign ones.
 */
export function plainKeys(comparison: Comparison): readonly PlainKeys[] {
  return [...comparison.layout.values()].flatMap((table) => {
    const found = comparison.found.tables.get(table.key)
    if (found?.isTable !== true || found.isPartitioned) return []
    const keys = plainKeysOf({ table, found }, comparison)
    const isWhole = keys.primary === undefined && keys.uniques.length + keys.foreignKeys.length === 0
    return isWhole ? [] : [keys]
  })
}

export function plainKeysReason(...tables: readonly TableLayout[]): string {
  return `the keys of ${tables.map(({ name }) => name).join(', ')} do not begin with the tenant`
}

function plainKeysOf({ table, found }: Pair, { database, foreignKeysOf }: Comparison): PlainKeys {
  const tenantColumn = table.isWritable ? table.tenantColumn : undefined
  const plain = (columns: readonly string[]) => columns.filter((name) => name !== tenantColumn)
  const existing = foreignKeysOf.get(table.key) ?? []
  const over = (columns: readonly string[]) => existing.filter((one) => isSameSet(one.columns, columns))
  const ofOthers = table.foreignKeys.filter(({ columns, column }) => columns.length > 1 && over([column]).length > 0)
  const toTenants = table.foreignKeys.filter((key) => key.isConstrained && isSameSet(key.columns, [tenantColumn ?? '']))
  return {
    table,
    found,
    primary: tenantColumn === undefined ? undefined : plainPrimary({ table, found }, plain(table.primaryKey)),
    staysPrimary: staysPrimary(table, database),
    uniques:
      tenantColumn === undefined ? [] : table.uniques.flatMap((one) => plainUnique({ table, found }, one, plain)),
    foreignKeys: ofOthers.flatMap(({ column }) => over([column])),
    newForeignKeys: [...ofOthers, ...toTenants].filter(({ columns }) => over(columns).length === 0),
  }
}

function staysPrimary(table: TableLayout, database: DatabaseName): boolean {
  return table.primaryKey.length > 1 && table.columns.some((column) => isKeyByItself(column, table, database))
}

function plainPrimary({ table, found }: Pair, plain: readonly string[]): FoundIndex | undefined {
  const { primaryKey } = table
  if (primaryKey.length === plain.length) return undefined
  const isThere = found.indexes.some(({ isUnique, columns }) => isUnique && isSameSet(columns, primaryKey))
  if (isThere || !isSameSet(primaryKeyOf(found), plain)) return undefined
  return found.indexes.find(({ isPrimary }) => isPrimary)
}

function plainUnique(
  { found }: Pair,
  wanted: UniqueLayout,
  plainOf: (columns: readonly string[]) => readonly string[],
): readonly PlainUnique[] {
  const plain = plainOf(wanted.columns)
  if (plain.length === wanted.columns.length) return []
  const over = (columns: readonly string[]) =>
    uniqueKeysOf(found, { ...wanted, columns }).filter((index) => {
      const isOfSameRows = index.isPartial === wanted.where.length > 0
      return !index.isPrimary && isOfSameRows && isSameSet(index.columns, columns)
    })
  const list = over(plain)
  return list.length === 0 ? [] : [{ found: list, wanted, isThere: over(wanted.columns).length > 0 }]
}
