import { addColumn } from '../../check/columns/missing-column.ts'
import { dropNotNull, fillWith, setNotNull } from '../../check/columns/null-statements.ts'
import { type ColumnLayout, qualifiedName, type TableLayout } from '../../layout/table-layout.ts'
import { type Change, run, type Unfilled, unless } from '../change.ts'
import { columnExists } from '../changes/exists.ts'
import type { Filling } from './filling.ts'
import { firstTenants } from './first-tenants.ts'
import { fillFromSources, inFillOrder, type TenantSources, tenantSources, withoutSource } from './tenant-sources.ts'

/**
 * Adds the column of the tenant to tables, and gives each row the tenant of its owner, or of a record that it needs, and all others the value that
 * is given.
 */
export async function fillTenants(
  filling: Filling,
): Promise<{ readonly changes: readonly Change[]; readonly unfilled: readonly Unfilled[] }> {
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
  return {
    file,
    phase: 'tenant',
    reason: needsEmpty ? `${what}${others === '' ? ':' : ', and'} this fails where ${table.name} has rows` : what,
    up: [
      ...(isMissing ? [unless(columnExists(database, table, name), [add])] : []),
      run(...fill, setNotNull(table, name)),
    ],
    down: [run(dropNotNull(table, name))],
  }
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
