import { isGivenByInsert } from '@fastify-crud/core/internal'
import { addColumn, defaultLiteral, dropNotNull, fillWith, setNotNull } from '../../check/columns/missing-column.ts'
import type { ComparedTable } from '../../check/comparison.ts'
import type { NameNow } from '../../check/keys/whole-keys.ts'
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
import { fillFromSources, inFillOrder, type TenantSources, tenantSources, withoutSource } from './tenant-sources.ts'

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
  const name = String(table.tenantColumn)
  const isThere = comparison.found.tables.get(table.key)?.columns.has(name) === true
  return !areComplete && (await rows.finds(withoutSource(source, name, isThere, nameNow)))
}

async function tenantColumn(source: TenantSources, value: string | undefined, filling: Filling): Promise<Change> {
  const { comparison, database, file, nameNow, rows } = filling
  const { table, areComplete } = source
  const name = String(table.tenantColumn)
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
  const column = String(first.tenantColumn)
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
