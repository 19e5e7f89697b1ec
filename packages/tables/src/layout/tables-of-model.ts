import type { Model } from '@fastify-crud/core'
import { checkModel, type Link, textFormat } from '@fastify-crud/core/internal'
import { columnType } from './column-type.ts'
import { resourceTable } from './resource-table.ts'
import {
  distinct,
  foreignKeyColumn,
  hiddenTenantColumn,
  keyTo,
  namesTable,
  type TenantKeys,
  tenantKey,
  tenantPart,
  unindexed,
  withTenant,
} from './table-keys.ts'
import {
  type ColumnLayout,
  columnsIn,
  type ForeignKeyLayout,
  isIdColumn,
  numberColumn,
  PLAIN_TABLE,
  type TableLayout,
} from './table-layout.ts'

/**
 * The tables of a model: the resources' in an order in which every foreign key that cannot be null names an earlier
 * table (or its own), then the link tables. Two links that are the two directions of one association share a table.
 *
 * `given`: whether keys begin with the tenant. Default: as the model says.
 */
export function tableLayout(model: Model, given?: TenantKeys): readonly TableLayout[] {
  checkModel(model)
  const keys = given ?? model.tenant?.keys ?? 'whole'
  const resources = [...model.resources.values()].sort((a, b) => a.rank - b.rank)
  const links = new Map<string, TableLayout>()
  for (const link of [...model.resources.values()].flatMap((resource) => resource.links)) {
    const key = link.table.toLowerCase()
    const known = links.get(key) ?? linkTable(link, keys)
    const numbers = link.order === undefined ? [] : [numberColumn(link.order, `${link.source.key}.${link.name}`)]
    links.set(key, { ...known, columns: [...known.columns, ...numbers] })
  }
  const byTable = Map.groupBy(
    resources.map((resource) => resourceTable(resource, keys)),
    ({ key }) => key,
  )
  return [...[...byTable.values()].map(sharedTable), ...links.values()]
}

function linkTable(link: Link, keys: TenantKeys): TableLayout {
  const { source, target, table, fromColumn, toColumn, tenant, isConstrained } = link
  const nameInModel = `${source.key}.${link.name}`
  const ofTenant = tenantPart(link, keys)
  const primaryKey = withTenant(ofTenant, [fromColumn, toColumn])
  const uniques = link.exclusive ? [{ columns: withTenant(ofTenant, [toColumn]), where: [], needsDeferral: false }] : []
  const ofTenants = tenant === undefined ? [] : [tenantKey(nameInModel, tenant, keys)]
  const from: ForeignKeyLayout = {
    ...keyTo(link, fromColumn, source, keys),
    nameInModel,
    target: source.table,
    whenTargetGoes: 'delete',
    isConstrained,
  }
  const to: ForeignKeyLayout = {
    ...keyTo(link, toColumn, target, keys),
    nameInModel,
    target: target.table,
    whenTargetGoes: link.needs ? 'refuse' : 'delete',
    isConstrained,
  }
  return {
    ...PLAIN_TABLE,
    key: table,
    name: table,
    columns: [
      ...(tenant === undefined ? [] : [hiddenTenantColumn(table, tenant)]),
      foreignKeyColumn(fromColumn, nameInModel, false, source),
      foreignKeyColumn(toColumn, nameInModel, false, target),
    ],
    primaryKey,
    tenantColumn: ofTenant,
    foreignKeys: [...ofTenants, from, ...(namesTable(link) ? [to] : [])],
    uniques,
    indexes: unindexed([...ofTenants, from, to], [primaryKey, ...columnsIn(uniques)]),
  }
}

/** One table of the layouts of all resources that share it. What only some of them require may be null. */
function sharedTable(tables: readonly TableLayout[]): TableLayout {
  const [first, another] = tables as readonly [TableLayout, ...TableLayout[]]
  if (another === undefined) return first
  const columns = [
    ...Map.groupBy(
      tables.flatMap((table) => table.columns),
      ({ name }) => name,
    ).values(),
  ].map((all) => {
    const isInAll = all.length === tables.length
    return { ...ofAll(all), nullable: !isInAll || all.some(({ nullable }) => nullable) }
  })
  const foreignKeys = Map.groupBy(
    tables.flatMap((table) => table.foreignKeys),
    ({ column }) => column,
  )
  const uniques = distinct(
    tables.flatMap((table) => table.uniques),
    first.primaryKey,
  )
  const lists = tables.flatMap((table) => table.declaredIndexes)
  const declaredIndexes = [...new Map(lists.map((names) => [JSON.stringify(names), names])).values()]
  const keys = [...foreignKeys.values()].map(strictest)
  // Those that no foreign key holds, too.
  const ofColumns = columns
    .filter(({ kind, name }) => kind === 'foreignKey' && !foreignKeys.has(name))
    .map(({ name }) => ({ columns: [name] }))
  return {
    ...first,
    columns,
    foreignKeys: keys,
    uniques,
    indexes: unindexed([...keys, ...ofColumns], [first.primaryKey, ...columnsIn(uniques), ...declaredIndexes]),
    declaredIndexes,
    searched: [...new Set(tables.flatMap(({ searched }) => searched))],
    owners: ownersOf(tables),
  }
}

/** The column of several resources, which may say more or less of its texts. It has room for those of all. */
function ofAll(columns: readonly ColumnLayout[]): ColumnLayout {
  const [first] = columns as readonly [ColumnLayout, ...ColumnLayout[]]
  const types = columns.map((column) => columnType('postgres', column))
  if (isIdColumn(first) || types.every((type) => type === types[0])) return first
  return columns[types.indexOf('text')] ?? { ...first, schema: { type: 'string', format: textFormat(first.schema) } }
}

/** The database refuses what one of the resources has it refuse. */
function strictest(keys: readonly ForeignKeyLayout[]): ForeignKeyLayout {
  const by = (action: ForeignKeyLayout['whenTargetGoes']) =>
    keys.find(({ whenTargetGoes }) => whenTargetGoes === action)
  return by('refuse') ?? by('clear') ?? (keys[0] as ForeignKeyLayout)
}

/** A row of any resource has at most one owner, and exactly one where this holds for all of them. */
function ownersOf(tables: readonly TableLayout[]): TableLayout['owners'] {
  const all = tables.flatMap(({ owners }) => owners ?? [])
  if (all.length === 0) return undefined
  const columns = [...new Set(all.flatMap((owners) => owners.columns))]
  const isSame = all.length === tables.length && all.every((owners) => owners.columns.length === columns.length)
  return { columns, optional: !isSame || all.some(({ optional }) => optional) }
}
