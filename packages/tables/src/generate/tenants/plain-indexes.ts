import type { Comparison } from '../../check/comparison.ts'
import { constraintNames } from '../../create/constraint-names.ts'
import { indexDefinition, indexName, wantedIndexes } from '../../create/wanted-indexes.ts'
import type { TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import type { NameNow } from '../setting.ts'

/** An index that this library has made for keys without the tenant. Another one takes its place. */
export interface PlainIndex {
  readonly table: TableLayout
  readonly name: string
  /** The statement that makes it again. */
  readonly create: string
}

/**
 * The indexes that have the names which this library gives where keys do not begin with the tenant, and not where they do. `plain`: the layout
 * without tenants in its keys.
 */
export function plainIndexes(
  { database, found, layout, nameOf }: Comparison,
  plain: readonly TableLayout[],
  nameNow: NameNow,
): readonly PlainIndex[] {
  const plainName = constraintNames(plain)
  return plain.flatMap((table) => {
    const whole = layout.get(table.key) as TableLayout
    const existing = found.tables.get(table.key)
    if (existing === undefined || whole.tenantColumn === undefined) return []
    const now = withColumns(table, (name) => nameNow(whole, name))
    const kept = new Set([
      ...whole.indexes.map((columns) => nameOf(whole, 'idx', columns)),
      ...wantedIndexes(database, whole, existing).map((index) => indexName(index, nameOf)),
    ])
    const own = [
      ...now.indexes.map((columns) => {
        const name = plainName(table, 'idx', columns)
        return { name, create: `CREATE INDEX ${quoted(name)} ON ${quotedTable(table)} (${quoted(...columns)})` }
      }),
      ...wantedIndexes(database, now, existing).map((index) => {
        return {
          name: indexName(index, plainName),
          create: `CREATE INDEX ${indexDefinition(database, index, plainName)}`,
        }
      }),
    ]
    const isThere = (name: string) => existing.indexes.some((one) => one.name === name && !one.isUnique)
    return own.filter(({ name }) => isThere(name) && !kept.has(name)).map((one) => ({ ...one, table: whole }))
  })
}

/** The table with the columns of its indexes as they are called now. */
function withColumns(table: TableLayout, named: (name: string) => string): TableLayout {
  return {
    ...table,
    columns: table.columns.map((column) => ({ ...column, name: named(column.name) })),
    idColumns: table.idColumns.map(named),
    indexes: table.indexes.map((columns) => columns.map(named)),
    declaredIndexes: table.declaredIndexes.map((columns) => columns.map(named)),
  }
}
