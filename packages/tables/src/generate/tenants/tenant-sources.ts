import type { FoundTables } from '../../catalogs/found-tables.ts'
import type { NameNow } from '../../check/keys/whole-keys.ts'
import type { ForeignKeyLayout, TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'

/** The rows that say which tenant a row of a table has: its owner's, or those that it needs. */
export interface TenantSources {
  readonly table: TableLayout
  readonly keys: readonly SourceKey[]
  /** Whether each row has one of them. */
  readonly areComplete: boolean
}

/** A foreign key, and the table that it names. */
interface SourceKey {
  readonly key: ForeignKeyLayout
  readonly to: TableLayout
  /** Whether the database keeps rows from naming one that is not there. */
  readonly isEnforced: boolean
}

/** `table`: with a column of the tenant. The columns and tables are those that are there before the migration. */
export function tenantSources(
  table: TableLayout,
  layout: ReadonlyMap<string, TableLayout>,
  found: FoundTables,
): TenantSources {
  const columns = found.tables.get(table.key)?.columns
  const keys = table.foreignKeys.flatMap((key) => {
    const to = layout.get(key.target)
    const isThere = columns?.has(key.column) === true && found.tables.has(key.target)
    // A key that names the tenant too is one between rows of the same tenant.
    if (to?.tenantColumn === undefined || !isThere || key.columns.length === 1) return []
    const isEnforced = found.foreignKeys.some(
      (one) => one.table === table.key && one.isEnforced && one.columns.includes(key.column),
    )
    // No foreign key refuses another tenant's record in a table that the service only reads.
    const tells = key.whenTargetGoes === 'delete' || !isNullable(table, key) || !table.isWritable
    return tells ? [{ key, to, isEnforced }] : []
  })
  const isOwned = table.owners?.optional === false && table.owners.columns.every((one) => columns?.has(one))
  const names = isOwned ? keys : keys.filter(({ key }) => !isNullable(table, key))
  return { table, keys, areComplete: names.length > 0 && names.every(({ isEnforced }) => isEnforced) }
}

function isNullable({ columns }: TableLayout, { column }: ForeignKeyLayout): boolean {
  return columns.find(({ name }) => name === column)?.nullable === true
}

/** The tables with those first of which others get their tenant. */
export function inFillOrder(all: readonly TenantSources[]): readonly TenantSources[] {
  const byKey = new Map(all.map((one) => [one.table.key, one]))
  const ordered = new Set<TenantSources>()
  const begun = new Set<TenantSources>()
  const add = (one: TenantSources): void => {
    if (begun.has(one)) return
    begun.add(one)
    for (const { to } of one.keys) {
      const source = byKey.get(to.key)
      if (source !== undefined) add(source)
    }
    ordered.add(one)
  }
  for (const one of all) add(one)
  return [...ordered]
}

/** The statements that give rows without a tenant that of their sources. `nameNow`: what the database calls a
 * column. */
export function fillFromSources(
  { table, keys }: TenantSources,
  tenantColumn: string,
  nameNow: NameNow,
): readonly string[] {
  const [name, column] = [quotedTable(table), quoted(tenantColumn)]
  return keys.map(({ key, to }) => {
    const own = quoted(nameNow(table, key.column))
    const target = quoted(nameNow(to, key.targetColumn))
    const ofTarget = quoted(String(to.tenantColumn))
    if (to.key !== table.key) {
      return `UPDATE ${name} SET ${column} = source.${ofTarget} FROM ${quotedTable(to)} AS source WHERE ${name}.${own} = source.${target} AND ${name}.${column} IS NULL`
    }
    return [
      `WITH RECURSIVE tree (id, tenant) AS (SELECT ${target}, ${column} FROM ${name} WHERE ${column} IS NOT NULL`,
      `UNION SELECT child.${target}, tree.tenant FROM ${name} AS child JOIN tree ON child.${own} = tree.id WHERE child.${column} IS NULL)`,
      `UPDATE ${name} SET ${column} = tree.tenant FROM tree WHERE ${name}.${target} = tree.id AND ${name}.${column} IS NULL`,
    ].join(' ')
  })
}

/** Finds a row that has no source, so that only the application knows its tenant; one that has none yet if
 * `isThere`. */
export function withoutSource(
  { table, keys }: TenantSources,
  tenantColumn: string,
  isThere: boolean,
  nameNow: NameNow,
): string {
  const name = quotedTable(table)
  const conditions = [
    ...keys.map(({ key, to, isEnforced }) => {
      const own = `${name}.${quoted(nameNow(table, key.column))}`
      if (isEnforced) return `${own} IS NULL`
      const target = `source.${quoted(nameNow(to, key.targetColumn))}`
      return `NOT EXISTS (SELECT 1 FROM ${quotedTable(to)} AS source WHERE ${target} = ${own})`
    }),
    ...(isThere ? [`${name}.${quoted(tenantColumn)} IS NULL`] : []),
  ]
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  return `SELECT 1 FROM ${name}${where} LIMIT 1`
}
