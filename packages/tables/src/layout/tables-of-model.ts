import type { Model } from '@fastify-crud/core'
import type { Field, Index, OwnerReference, Reference, Resource, UniqueKey } from '@fastify-crud/core/internal'
import { checkModel, type Link, textFormat } from '@fastify-crud/core/internal'
import { columnType } from './column-type.ts'
import {
  type ColumnLayout,
  columnsIn,
  conditionKey,
  type FieldColumn,
  type ForeignKeyLayout,
  fieldColumn,
  foreignKeyColumn,
  type IdColumn,
  isIdColumn,
  numberColumn,
  PLAIN_TABLE,
  plainColumn,
  type TableLayout,
  type UniqueLayout,
} from './table-layout.ts'
import { type KeyLead, type KeyStyle, keyLead, keyStyleOf, keyTo, rowKey } from './tenant-keys.ts'

/**
 * The tables of a model: the resources' in an order in which every foreign key that cannot be null names an earlier
 * table (or its own), then the link tables. Two links that are the two directions of one association share a table.
 *
 * `given`: with what keys begin. Default: as the model says.
 */
export function tableLayout(model: Model, given?: KeyStyle): readonly TableLayout[] {
  checkModel(model)
  const keys = given ?? keyStyleOf(model)
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

function linkTable(link: Link, keys: KeyStyle): TableLayout {
  const { source, target, table, fromColumn, toColumn, isConstrained } = link
  const nameInModel = `${source.key}.${link.name}`
  const lead = keyLead(link, keys, { table, key: nameInModel })
  const primaryKey = lead.behind([fromColumn, toColumn])
  const uniques = link.exclusive ? [{ columns: lead.behind([toColumn]), where: [], needsDeferral: false }] : []
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
      ...lead.columns,
      foreignKeyColumn(fromColumn, nameInModel, false, source),
      foreignKeyColumn(toColumn, nameInModel, false, target),
    ],
    primaryKey,
    lead: lead.column,
    foreignKeys: [...lead.foreignKeys, from, ...(namesTable(link) ? [to] : [])],
    uniques,
    indexes: unindexed([...lead.foreignKeys, from, to], [primaryKey, ...columnsIn(uniques)]),
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

function resourceTable(resource: Resource, keys: KeyStyle): TableLayout {
  const { key, table, isWritable, hasId, fields, members, ownedBy, references, softDelete } = resource
  const idColumns = hasId ? resource.idColumns : []
  const lead = keyLead(resource, keys, { table: key, key })
  const toOwners = ownedBy.map((one) => ownerKey(one, keys))
  const toOthers = references.map((one) => referenceKey(one, keys))
  const foreignKeys = [
    ...lead.foreignKeys,
    ...toOwners,
    ...references.filter(namesTable).map((one) => referenceKey(one, keys)),
  ]
  const primaryKey = hasId ? lead.behind(idColumns) : []
  const uniques = distinct(
    resource.uniques.map((unique) => uniqueLayout(resource, unique, lead)),
    primaryKey,
  )
  const declaredIndexes = resource.indexes.map((index) => lead.behind(columnsOf(index)))
  return {
    key: table,
    schema: undefined,
    name: table,
    isWritable,
    columns: [
      ...lead.columns,
      ...ownIdColumn(resource),
      ...fields.map((field) => fieldColumn(key, field)),
      ...members.flatMap((one) => (isUnseenNumber(resource, one) ? [fieldColumn(key, one)] : [])),
      ...(softDelete === undefined ? [] : [fieldColumn(key, softDelete)]),
      ...discriminatorColumn(resource),
      ...ownedBy.map(({ column, name, nullable, target }) =>
        foreignKeyColumn(column, `${key}.${name}`, nullable, target),
      ),
      ...references.map(({ column, name, nullable, target, isFixed }) => ({
        ...foreignKeyColumn(column, `${key}.${name}`, nullable, target),
        isFixed,
      })),
    ],
    primaryKey,
    lead: lead.column,
    idColumns,
    foreignKeys,
    uniques,
    indexes: unindexed(
      [...lead.foreignKeys, ...toOwners, ...toOthers],
      [primaryKey, ...columnsIn(uniques), ...declaredIndexes],
    ),
    declaredIndexes,
    searchKey: rowKey(resource, idColumns),
    searched: (resource.search?.indexed ?? []).map(({ column }) => column),
    discriminator: resource.where?.column,
    owners:
      ownedBy.length > 1 ? { columns: ownedBy.map(({ column }) => column), optional: resource.isRoot } : undefined,
  }
}

/** Whether it keeps the order of an owner's array and is no field. */
function isUnseenNumber({ names }: Resource, one: Resource['members'][number]): one is Field {
  return one.kind === 'field' && one.keepsOrder && !names.has(one.name)
}

function columnsOf({ members }: Index): readonly string[] {
  return members.map((member) => member.column)
}

/** Where resources share a table, its values are unique among the rows of each. Deleted records hold none. */
function uniqueLayout({ where: ofRows, softDelete }: Resource, key: UniqueKey, lead: KeyLead): UniqueLayout {
  const isKept = softDelete === undefined ? [] : [{ column: softDelete.column, is: 'null' as const }]
  const where = [...key.where.map(({ member, is }) => ({ column: member.column, is })), ...isKept]
  const needsDeferral = key.members.some((member) => {
    // No partial index is deferrable. Its rows leave the condition for a moment.
    if (where.length > 0) return false
    // Where one of several relations owns a record, it always does.
    if (member.kind === 'ownedBy')
      return member.position !== undefined && (!member.nullable || member.source.ownedBy.length > 1)
    return !member.nullable && (member.kind === 'reference' || member.storage === 'boolean')
  })
  const own = ofRows === undefined ? columnsOf(key) : [...columnsOf(key), ofRows.column]
  const columns = lead.behind(own)
  return { columns, where, needsDeferral, ...(softDelete && { isAmongKept: true }) }
}

/** None where members make up the ids, or nothing does. */
function ownIdColumn({ key, hasId, id, idColumns, idMembers }: Resource): readonly IdColumn[] {
  if (!hasId || idMembers.length > 0) return []
  return [{ name: idColumns[0], nameInModel: `${key}.id`, kind: 'id', nullable: false, ids: id }]
}

/** `createTables` makes it never null. In a table that is there, rows of no resource may lack a value. */
function discriminatorColumn({ key, where }: Resource): readonly FieldColumn[] {
  if (where === undefined) return []
  const { column: name, value } = where
  const type = typeof value as 'number' | 'string' | 'boolean'
  const kind = type === 'number' && Number.isInteger(value) ? 'integer' : type
  return [plainColumn(name, `${key}.where`, kind, { type: kind })]
}

function ownerKey(owner: OwnerReference, keys: KeyStyle): ForeignKeyLayout {
  return foreignKey(owner, 'delete', keys)
}

function referenceKey(reference: Reference, keys: KeyStyle): ForeignKeyLayout {
  return foreignKey(reference, reference.needs ? 'refuse' : 'clear', keys)
}

function foreignKey(
  { column, source, name, target, isConstrained }: OwnerReference | Reference,
  whenTargetGoes: ForeignKeyLayout['whenTargetGoes'],
  keys: KeyStyle,
): ForeignKeyLayout {
  const nameInModel = `${source.key}.${name}`
  return { ...keyTo(source, column, target, keys), nameInModel, target: target.table, whenTargetGoes, isConstrained }
}

/** What nobody writes here may be a view, which no foreign key can name. */
function namesTable({ target }: Reference | Link): boolean {
  return target.isWritable
}

/**
 * Leaves out what names the same columns as an earlier one or the primary key, in whatever order: for the same rows, or
 * for some of the rows of another one.
 */
function distinct(uniques: readonly UniqueLayout[], primaryKey: readonly string[]): readonly UniqueLayout[] {
  const seen = new Set([setOf(primaryKey)])
  const forAll = new Set([...seen, ...columnsIn(uniques).map(setOf)])
  return uniques.filter(({ columns, where }) => {
    if (where.length > 0 && forAll.has(setOf(columns))) return false
    const set = setOf(columns) + (where.length === 0 ? '' : conditionKey(where))
    return !seen.has(set) && seen.add(set)
  })
}

function setOf(columns: readonly string[]): string {
  return JSON.stringify([...columns].sort())
}

function unindexed(
  foreignKeys: readonly Pick<ForeignKeyLayout, 'columns'>[],
  keys: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const leads = (columns: readonly string[]) => keys.some((key) => columns.every((one, index) => key[index] === one))
  return foreignKeys.map(({ columns }) => columns).filter((columns) => !leads(columns))
}
