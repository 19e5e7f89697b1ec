import { isGivenByInsert } from '@fastify-crud/core/internal'
import type { FoundTables } from '../../catalogs/found-tables.ts'
import { addColumn, defaultLiteral, dropNotNull, fillWith, setNotNull } from '../../check/columns/missing-column.ts'
import type { ComparedTable } from '../../check/comparison.ts'
import type { NameNow } from '../../check/keys/whole-keys.ts'
import type { ForeignKeyLayout } from '../../layout/table-layout.ts'
import {
  type ColumnLayout,
  type IdColumn,
  isIdColumn,
  qualifiedName,
  type TableLayout,
} from '../../layout/table-layout.ts'
import { quoted, quotedTable, quotedText } from '../../quoted-names.ts'
import { type Change, type FileKind, ordinary, run, type Unfilled, unless } from '../change.ts'
import { columnExists, type EarlySetting } from '../setting.ts'

/**
 * Adds the column of the tenant to tables, and gives each row the tenant of its owner, or of a record that it needs,
 * and all others the value that is given.
 */
export async function fillTenants(filling: Filling): Promise<Filled> {
  const { lacking, comparison, fills, columnIn, tenants } = filling
  const sources = lacking.map((table) => tenantSources(table, comparison.layout, comparison.found))
  const ordered = inFillOrder(sources)
  const roots: TableLayout[] = []
  const changes: Change[] = []
  for (const source of ordered) {
    const { table } = source
    const value = fills.get(columnIn(table) as ColumnLayout)?.sql
    const needsValue = value === undefined && (await hasRoots(source, filling))
    if (needsValue) roots.push(table)
    changes.push(await tenantColumn(source, value, filling))
  }
  const values = lacking.flatMap((table) => fills.get(columnIn(table) as ColumnLayout)?.sql ?? [])
  const first = await firstTenants(tenants, new Set(values), filling)
  return {
    changes: [...first.changes, ...changes],
    unfilled: [...(roots.length > 0 ? [noTenant(roots)] : []), ...first.unfilled],
  }
}

async function hasRoots(source: TenantSources, { comparison, rows, nameNow }: Filling): Promise<boolean> {
  const { table, areComplete } = source
  const name = String(table.lead)
  const isThere = comparison.found.tables.get(table.key)?.columns.has(name) === true
  return !areComplete && (await rows.finds(withoutSource(source, name, isThere, nameNow)))
}

async function tenantColumn(source: TenantSources, value: string | undefined, filling: Filling): Promise<Change> {
  const { comparison, database, file, nameNow, rows } = filling
  const { table, areComplete } = source
  const name = String(table.lead)
  const column = table.columns.find((one) => one.name === name) as ColumnLayout
  // The foreign key comes with the other ones.
  const add = addColumn({ ...table, foreignKeys: [] }, { ...column, nullable: true }, comparison)
  const isMissing = comparison.found.tables.get(table.key)?.columns.has(name) !== true
  const fill = [
    ...fillFromSources(source, name, nameNow),
    ...(value === undefined ? [] : [fillWith(table, name, value)]),
  ]
  const others = table.isWritable ? '' : `: whoever writes rows of ${table.name} has to give it from then on`
  const what = `column ${qualifiedName(table)}.${name} of the tenant ${isMissing ? 'is missing' : 'allows null'}${others}`
  const needsEmpty = isMissing && value === undefined && !areComplete && !(await rows.hasRows(table))
  const reason = needsEmpty ? `${what}${others === '' ? ':' : ', and'} this fails where ${table.name} has rows` : what
  const up = [
    ...(isMissing ? [unless(columnExists(database, table, name), [add])] : []),
    run(...fill, setNotNull(table, name)),
  ]
  return { ...ordinary('tenant', reason, up, [run(dropNotNull(table, name))]), file }
}

function noTenant(tables: readonly TableLayout[]): Unfilled {
  const [first] = tables as readonly [TableLayout, ...TableLayout[]]
  const column = String(first.lead)
  const names = tables.map(({ name }) => name).join(', ')
  const one = `${first.name}.${column}`
  return {
    field: column,
    message: `rows of ${names} have no tenant: give it by --fill ${column}=ID, or for one table by --fill ${one}=ID`,
  }
}

/** The tenants that rows are given. Where their table is new, the migration adds them; else they have to be there.
 * `ids`: as SQL. */
async function firstTenants(table: TableLayout, ids: ReadonlySet<string>, filling: Filling): Promise<Filled> {
  const [idColumn = ''] = table.idColumns
  const findOf = (id: string) => `SELECT 1 FROM ${quotedTable(table)} WHERE ${quoted(idColumn)} = ${id}`
  if (filling.comparison.found.tables.has(table.key)) {
    const unknown: string[] = []
    for (const id of ids) if (!(await filling.rows.finds(findOf(id)))) unknown.push(id)
    return { changes: [], unfilled: unknown.map((id) => unknownTenant(table, id)) }
  }
  if (ids.size === 0) return { changes: [], unfilled: [] }
  const values = table.columns
    .filter(({ name, nullable }) => name !== idColumn && !nullable)
    .map((column) => ({ column, value: valueIn(column, filling) }))
  const unfilled = values.flatMap(({ column, value }) => (value === undefined ? [unnamed(table, column)] : []))
  const columns = quoted(idColumn, ...values.map(({ column }) => column.name))
  const changes = [...ids].map((id): Change => {
    const list = [id, ...values.map(({ value }) => value)].join(', ')
    const insert = `INSERT INTO ${quotedTable(table)} (${columns}) VALUES (${list})`
    const up = [unless(findOf(id), [insert, ...counting(table, idColumn, filling)])]
    return { ...ordinary('tenant', `rows belong to ${table.name} ${id}, which is new`, up), file: filling.file }
  })
  return { changes, unfilled }
}

/** The values of the model's own layout, as that is what they are given for. */
function valueIn(column: ColumnLayout, { fills, database }: Filling): string | undefined {
  const given = [...fills].find(([one]) => one.nameInModel === column.nameInModel)
  if (given?.[1].isComputed === false) return given[1].sql
  return isIdColumn(column) || column.hasDbDefault ? undefined : defaultLiteral(column, database)
}

/** PostgreSQL counts on from the ids that are given. */
function counting(table: TableLayout, idColumn: string, { database }: Filling): readonly string[] {
  const ids = (table.columns.find(({ name }) => name === idColumn) as IdColumn).ids
  if (database === 'sqlite' || ids.assignedBy !== 'database' || isGivenByInsert(ids)) return []
  const sequence = `pg_get_serial_sequence(${quotedText(quotedTable(table))}, ${quotedText(idColumn)})`
  return [`SELECT setval(${sequence}, (SELECT max(${quoted(idColumn)}) FROM ${quotedTable(table)}))`]
}

function unknownTenant({ name }: TableLayout, id: string): Unfilled {
  return { field: name, message: `there is no ${name} ${id}, to which rows are to belong: create it first` }
}

function unnamed({ name }: TableLayout, { nameInModel }: ColumnLayout): Unfilled {
  const why = `${name} is new, and its first record needs ${nameInModel}`
  return { field: nameInModel, message: `${why}: give it by --fill ${nameInModel}=VALUE, or give the field a default` }
}

interface Filled {
  readonly changes: readonly Change[]
  readonly unfilled: readonly Unfilled[]
}

/** What the functions know that give rows a tenant. */
interface Filling extends EarlySetting {
  /** The tables without the column, or with rows that may have none. */
  readonly lacking: readonly TableLayout[]
  readonly tenants: TableLayout
  /** The column of the tenant for which a value may be given. */
  readonly columnIn: (table: TableLayout) => ColumnLayout | undefined
  readonly comparison: ComparedTable
  readonly file: FileKind
  readonly nameNow: NameNow
}

/** The rows that say which tenant a row of a table has: its owner's, or those that it needs. */
interface TenantSources {
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
function tenantSources(
  table: TableLayout,
  layout: ReadonlyMap<string, TableLayout>,
  found: FoundTables,
): TenantSources {
  const columns = found.tables.get(table.key)?.columns
  const keys = table.foreignKeys.flatMap((key) => {
    const to = layout.get(key.target)
    const isThere = columns?.has(key.column) === true && found.tables.has(key.target)
    // A key that names the tenant too is one between rows of the same tenant.
    if (to?.lead === undefined || !isThere || key.columns.length === 1) return []
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
function inFillOrder(all: readonly TenantSources[]): readonly TenantSources[] {
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
function fillFromSources({ table, keys }: TenantSources, tenantColumn: string, nameNow: NameNow): readonly string[] {
  const [name, column] = [quotedTable(table), quoted(tenantColumn)]
  return keys.map(({ key, to }) => {
    const own = quoted(nameNow(table, key.column))
    const target = quoted(nameNow(to, key.targetColumn))
    const ofTarget = quoted(String(to.lead))
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
function withoutSource(
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
