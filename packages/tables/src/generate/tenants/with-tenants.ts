import type { DatabaseName } from '@fastify-crud/core/internal'
import { renameColumns } from '../../catalogs/database-names.ts'
import type { FoundForeignKey, FoundIndex, FoundTable, FoundTables } from '../../catalogs/found-tables.ts'
import type { ComparedTable } from '../../check/comparison.ts'
import type { KeyStatements, NameNow, PlainKeys } from '../../check/keys/whole-keys.ts'
import { constraintNames } from '../../create/constraint-names.ts'
import { declaredIndex, indexName, plainIndex, wantedIndexes } from '../../create/wanted-indexes.ts'
import type { TableLayout } from '../../layout/table-layout.ts'
import { asCreated, asFoundKey } from '../planned.ts'
import { indexPath } from '../setting.ts'

/** What a migration to tenants does, in memory alone. */
interface Done {
  readonly database: DatabaseName
  readonly layout: ReadonlyMap<string, TableLayout>
  /** The tables whose column of the tenant it adds, or fills. */
  readonly filled: readonly TableLayout[]
  readonly plain: readonly PlainKeys[]
  readonly indexes: readonly PlainIndex[]
}

/** The tables as they are once their rows have a tenant, and their keys begin with it. */
export function withTenants(found: FoundTables, done: Done): FoundTables {
  const gone = new Set(done.plain.flatMap(({ foreignKeys }) => foreignKeys))
  const isGone = (key: FoundForeignKey) =>
    [...gone].some((one) => one.table === key.table && JSON.stringify(one.columns) === JSON.stringify(key.columns))
  const added = done.plain.flatMap(({ table, newForeignKeys }) =>
    newForeignKeys.map((key) => asFoundKey(table, key, done.layout)),
  )
  return {
    ...found,
    tables: new Map([...found.tables].map(([key, table]) => [key, withTenant(key, table, done)])),
    foreignKeys: [...found.foreignKeys.filter((key) => !isGone(key)), ...added],
  }
}

function withTenant(key: string, found: FoundTable, { database, filled, plain, indexes }: Done): FoundTable {
  const table = filled.find((one) => one.key === key)
  const keys = plain.find((one) => one.table.key === key)
  const dropped = indexes.filter((one) => one.table.key === key).map(({ name }) => name)
  const columns = new Map(found.columns)
  const tenant = table?.columns.find(({ name }) => name === table.lead)
  if (tenant !== undefined) {
    columns.set(tenant.name, { ...(columns.get(tenant.name) ?? asCreated(database, tenant)), notNull: true })
  }
  const kept = found.indexes.filter(({ name }) => !dropped.includes(name))
  return { ...found, columns, indexes: keys === undefined ? kept : withKeys(kept, keys, columns) }
}

function withKeys(
  indexes: readonly FoundIndex[],
  { table, primary, staysPrimary, uniques }: PlainKeys,
  columns: FoundTable['columns'],
): readonly FoundIndex[] {
  const index = (names: readonly string[], more: Partial<FoundIndex>) => asFoundIndex(names, columns, more)
  const gone = [
    ...(staysPrimary ? [] : [primary?.name]),
    ...uniques.flatMap(({ found }) => found.map(({ name }) => name)),
  ]
  const added = [
    ...(primary === undefined ? [] : [index(table.primaryKey, { isPrimary: !staysPrimary })]),
    ...uniques.map(({ wanted, found: [one] }) =>
      index(wanted.columns, {
        isPartial: wanted.where.length > 0,
        where: one?.where,
        isDeferrable: wanted.needsDeferral,
      }),
    ),
  ]
  return [...indexes.filter(({ name }) => !gone.includes(name)), ...added]
}

function asFoundIndex(
  columns: readonly string[],
  ofTable: FoundTable['columns'],
  more: Partial<FoundIndex>,
): FoundIndex {
  return {
    ...{ name: '', columns, isUnique: true, isPrimary: false, isPartial: false, where: undefined, isDeferrable: false },
    ...{ isDeferred: false, nullsAreEqual: false, isUsable: true, isSorted: true },
    keys: columns.map((column) => {
      const collation = ofTable.get(column)?.collation ?? 'BINARY'
      return { column, expression: undefined, isDescending: false, nullsFirst: false, collation }
    }),
    ...more,
  }
}

/** An index that this library has made for keys without the tenant. Another one takes its place. */
export interface PlainIndex extends KeyStatements {
  readonly name: string
}

/**
 * The indexes that have the names which this library gives where keys do not begin with the tenant, and not where they
 * do. `plain`: the layout without tenants in its keys.
 */
export function plainIndexes(
  { database, found, layout, nameOf }: ComparedTable,
  plain: readonly TableLayout[],
  nameNow: NameNow,
): readonly PlainIndex[] {
  const plainName = constraintNames(plain)
  return plain.flatMap((table) => {
    const whole = layout.get(table.key) as TableLayout
    const existing = found.tables.get(table.key)
    if (existing === undefined || whole.lead === undefined) return []
    const now = renameColumns(table, (name) => nameNow(whole, name))
    const kept = new Set([
      ...whole.indexes.map((columns) => nameOf(whole, 'idx', columns)),
      ...wantedIndexes(database, whole, existing).map((index) => indexName(index, nameOf)),
    ])
    const own = [
      ...now.indexes.map((columns) => plainIndex(now, columns, plainName)),
      ...wantedIndexes(database, now, existing).map((index) => declaredIndex(database, index, plainName)),
    ]
    const isThere = (name: string) => existing.indexes.some((one) => one.name === name && !one.isUnique)
    return own
      .filter(({ name }) => isThere(name) && !kept.has(name))
      .map(({ name, definition }) => {
        const down = [`CREATE INDEX ${definition}`]
        return { name, table: whole, up: [`DROP INDEX IF EXISTS ${indexPath(whole, name)}`], down }
      })
  })
}
