import { isGivenByDatabase, mayBeGivenByDatabase } from '../../model/descriptors/field-options.ts'
import type { JsonSchema } from '../../model/descriptors/json-schema.ts'
import type { Stored } from '../../model/descriptors/stored.ts'
import type { TenantDeclaration } from '../../model/descriptors/tenant.ts'
import type { IdKind } from '../../model/ids/id-kind.ts'
import {
  type ColumnCondition,
  checkModel,
  type Field,
  type Index,
  type Link,
  type Model,
  type OwnedBy,
  type Reference,
  type Resource,
  type TenantColumn,
  type UniqueKey,
} from '../../model/model.ts'
import type { StorageKind } from '../../model/values/described-value.ts'

export type ColumnLayout = FieldColumn | IdColumn

interface NamedColumn {
  readonly name: string
  /** What the model calls it, e.g. `book.title`. */
  readonly nameInModel: string
  readonly nullable: boolean
}

export interface FieldColumn extends NamedColumn {
  readonly kind: StorageKind
  readonly schema: JsonSchema
  /** How it spells the values; undefined: as the type says. */
  readonly stored: Stored | undefined
  /** The name that it had before. */
  readonly was: string | undefined
  /** Whether only the database gives new rows a value: no request writes the column. */
  readonly isGiven: boolean
  /** Whether only the database gives some new rows a value: their bodies have none, or not every caller may set the field. */
  readonly mayBeGiven: boolean
  /** Whether the field has `dbDefault`, so that the column needs a default of its own. */
  readonly hasDbDefault: boolean
  /** What the model has for rows without a value; `undefined` where it has nothing. */
  readonly default: unknown
}

export interface IdColumn extends NamedColumn {
  readonly kind: 'id' | 'foreignKey'
  /** The kind of its ids. */
  readonly ids: IdKind
}

export function isIdColumn(column: ColumnLayout): column is IdColumn {
  return column.kind === 'id' || column.kind === 'foreignKey'
}

export interface ForeignKeyLayout {
  /** The tenant's column, if the key begins with it, and {@link column}. */
  readonly columns: readonly string[]
  readonly targetColumns: readonly string[]
  /** The column that names a row: those of the tenants begin with the tenant's. */
  readonly column: string
  /** What the model calls it, e.g. `book.publisher`. */
  readonly nameInModel: string
  /** The `key` of the table whose `id` it names. */
  readonly target: string
  readonly targetColumn: string
  /** What becomes of the row when the row that it names is deleted; `refuse`: that row cannot be deleted. */
  readonly whenTargetGoes: 'delete' | 'clear' | 'refuse'
  /** Whether the database has to have it. */
  readonly isConstrained: boolean
}

export interface UniqueLayout {
  readonly columns: readonly string[]
  /** It holds for the rows that fulfil all of these; empty: for all rows. Then it is a key, else a partial index. */
  readonly where: readonly ColumnIs[]
  /**
   * Whether a request may swap values of it for which there are no temporary ones: those of a required foreign key, of a boolean. PostgreSQL
   * can do that if the key is deferrable.
   */
  readonly needsDeferral: boolean
}

export interface ColumnIs {
  readonly column: string
  readonly is: ColumnCondition
}

/** One table that a model wants, of a resource or of links, in no database's words. */
export interface TableLayout {
  /** The table's name in the model; no other table of the layout has it. */
  readonly key: string
  readonly schema: string | undefined
  readonly name: string
  /** Whether the service writes its rows. If not, it may be a view, and is nobody's to create or to change here. */
  readonly isWritable: boolean
  readonly columns: readonly ColumnLayout[]
  readonly primaryKey: readonly string[]
  /** The columns of its records' ids; empty for a link table, and where there are none. */
  readonly idColumns: readonly string[]
  readonly foreignKeys: readonly ForeignKeyLayout[]
  /** No two with the same set of columns and the same condition, none with the primary key's. */
  readonly uniques: readonly UniqueLayout[]
  /** The columns of foreign keys that lead neither the primary key nor a unique key, nor an index of the descriptor. */
  readonly indexes: readonly (readonly string[])[]
  /** The columns of the indexes that the descriptor declares, in their order. */
  readonly declaredIndexes: readonly (readonly string[])[]
  /** The column that tells apart the rows of resources that share the table. */
  readonly discriminator: string | undefined
  /** Foreign keys of which each row has exactly one, or at most one where a row may be a root. */
  readonly owners: { readonly columns: readonly string[]; readonly optional: boolean } | undefined
}

/** The table's name with its schema's, as Kysely takes it. */
export function qualifiedName({ schema, name }: TableLayout): string {
  return schema === undefined ? name : `${schema}.${name}`
}

/**
 * The tables of a model: the resources' in an order in which every foreign key that cannot be null names an earlier
 * table (or its own), then the link tables. Two links that are the two directions of one association share a table.
 */
export function tableLayout(model: Model): readonly TableLayout[] {
  checkModel(model)
  const resources = [...model.resources.values()].sort((a, b) => a.rank - b.rank)
  const keys = model.tenant?.keys ?? 'whole'
  const links = new Map<string, TableLayout>()
  for (const link of [...model.resources.values()].flatMap((resource) => resource.links)) {
    const key = link.table.toLowerCase()
    if (!links.has(key)) links.set(key, linkTable(link, keys))
  }
  const byTable = Map.groupBy(
    resources.map((resource) => resourceTable(resource, keys)),
    ({ key }) => key,
  )
  return [...[...byTable.values()].map(sharedTable), ...links.values()]
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
    return { ...(all[0] as ColumnLayout), nullable: !isInAll || all.some(({ nullable }) => nullable) }
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
    owners: ownersOf(tables),
  }
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

function resourceTable(resource: Resource, keys: TenantKeys): TableLayout {
  const { key, table, isWritable, hasId, fields, ownedBy, references, tenant } = resource
  const idColumns = hasId ? resource.idColumns : []
  const shown = references.some(({ isTenant }) => isTenant)
  const ofTenants = tenant?.isOwnId === false && !shown ? [tenantKey(key, tenant, keys)] : []
  const ofTenant = tenantPart(resource, keys)
  const within = (columns: readonly string[]) => withTenant(ofTenant, columns)
  const toOwners = ownedBy.map((one) => ownerKey(one, keys))
  const toOthers = references.map((one) => referenceKey(one, keys))
  const foreignKeys = [
    ...ofTenants,
    ...toOwners,
    ...references.filter(namesTable).map((one) => referenceKey(one, keys)),
  ]
  const primaryKey = hasId ? within(idColumns) : []
  const uniques = distinct(
    resource.uniques.map((unique) => uniqueLayout(resource, unique, ofTenant)),
    primaryKey,
  )
  const declaredIndexes = resource.indexes.map((index) => within(columnsOf(index)))
  return {
    key: table,
    schema: undefined,
    name: table,
    isWritable,
    columns: [
      ...ofTenants.map(({ column, nameInModel }) =>
        foreignKeyColumn(column, nameInModel, false, tenant?.of as Resource),
      ),
      ...ownIdColumn(resource),
      ...fields.map((field) => fieldColumn(key, field)),
      ...discriminatorColumn(resource),
      ...[...ownedBy, ...references].map(({ column, name, nullable, target }) =>
        foreignKeyColumn(column, `${key}.${name}`, nullable, target),
      ),
    ],
    primaryKey,
    idColumns,
    foreignKeys,
    uniques,
    indexes: unindexed(
      [...ofTenants, ...toOwners, ...toOthers],
      [primaryKey, ...columnsIn(uniques), ...declaredIndexes],
    ),
    declaredIndexes,
    discriminator: resource.where?.column,
    owners:
      ownedBy.length > 1 ? { columns: ownedBy.map(({ column }) => column), optional: resource.isRoot } : undefined,
  }
}

type TenantKeys = NonNullable<TenantDeclaration['keys']>

/** The column with which the keys of a table begin; undefined if they do not begin with the tenant. */
function tenantPart({ tenant }: Resource | Link, keys: TenantKeys): string | undefined {
  return keys === 'plain' || tenant === undefined || tenant.isOwnId ? undefined : tenant.column
}

function withTenant(column: string | undefined, columns: readonly string[]): readonly string[] {
  return column === undefined ? columns : [column, ...columns.filter((one) => one !== column)]
}

/** The foreign key to the tenant. Tables that exist may lack it. */
function tenantKey(key: string, { of, column }: TenantColumn, keys: TenantKeys): ForeignKeyLayout {
  const [targetColumn] = of.idColumns
  return {
    ...plainKey(column, targetColumn),
    nameInModel: `the tenant of ${key}`,
    target: of.table,
    whenTargetGoes: 'refuse',
    isConstrained: keys === 'whole',
  }
}

function plainKey(column: string, targetColumn: string) {
  return { columns: [column], targetColumns: [targetColumn], column, targetColumn }
}

/** A foreign key from one table to another: it begins with the tenant if the keys of both do. */
function keyTo(from: Resource | Link, column: string, target: Resource, keys: TenantKeys) {
  const [targetColumn] = target.idColumns
  const [own, others] = [tenantPart(from, keys), tenantPart(target, keys)]
  const ofTenants = from.tenant?.isOwnId && keys === 'whole' ? from.tenant.column : own
  if (ofTenants === undefined || others === undefined) return plainKey(column, targetColumn)
  return { ...plainKey(column, targetColumn), columns: [ofTenants, column], targetColumns: [others, targetColumn] }
}

function columnsOf({ members }: Index): readonly string[] {
  return members.map((member) => member.column)
}

/** Where resources share a table, its values are unique among the rows of each. */
function uniqueLayout({ where: ofRows }: Resource, key: UniqueKey, ofTenant: string | undefined): UniqueLayout {
  const needsDeferral = key.members.some((member) => {
    // No partial index is deferrable. Its rows leave the condition for a moment.
    if (member.kind === 'ownedBy' || member.nullable || key.where.length > 0) return false
    return member.kind === 'reference' || member.storage === 'boolean'
  })
  const where = key.where.map(({ member, is }) => ({ column: member.column, is }))
  const own = ofRows === undefined ? columnsOf(key) : [...columnsOf(key), ofRows.column]
  const columns = withTenant(ofTenant, own)
  return { columns, where, needsDeferral }
}

/** The columns of each of the keys that hold for all rows. */
export function columnsIn(uniques: readonly UniqueLayout[]): readonly (readonly string[])[] {
  return uniques.filter(({ where }) => where.length === 0).map(({ columns }) => columns)
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
    key: table,
    schema: undefined,
    name: table,
    isWritable: true,
    columns: [
      ...ofTenants.map((one) => foreignKeyColumn(one.column, one.nameInModel, false, tenant?.of as Resource)),
      foreignKeyColumn(fromColumn, nameInModel, false, source),
      foreignKeyColumn(toColumn, nameInModel, false, target),
    ],
    primaryKey,
    idColumns: [],
    foreignKeys: [...ofTenants, from, ...(namesTable(link) ? [to] : [])],
    uniques,
    indexes: unindexed([...ofTenants, from, to], [primaryKey, ...columnsIn(uniques)]),
    declaredIndexes: [],
    discriminator: undefined,
    owners: undefined,
  }
}

function ownerKey(owner: OwnedBy, keys: TenantKeys): ForeignKeyLayout {
  return foreignKey(owner, 'delete', keys)
}

function referenceKey(reference: Reference, keys: TenantKeys): ForeignKeyLayout {
  return foreignKey(reference, reference.needs ? 'refuse' : 'clear', keys)
}

function foreignKey(
  { column, source, name, target, isConstrained }: OwnedBy | Reference,
  whenTargetGoes: ForeignKeyLayout['whenTargetGoes'],
  keys: TenantKeys,
): ForeignKeyLayout {
  const nameInModel = `${source.key}.${name}`
  return { ...keyTo(source, column, target, keys), nameInModel, target: target.table, whenTargetGoes, isConstrained }
}

/** What nobody writes here may be a view, which no foreign key can name. */
function namesTable({ target }: Reference | Link): boolean {
  return target.isWritable
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
  const kind =
    typeof value === 'number'
      ? Number.isInteger(value)
        ? 'integer'
        : 'number'
      : (typeof value as 'string' | 'boolean')
  const isNothing = { stored: undefined, was: undefined, isGiven: false, mayBeGiven: false, hasDbDefault: false }
  return [
    {
      name,
      nameInModel: `${key}.where`,
      kind,
      nullable: false,
      schema: { type: kind },
      default: undefined,
      ...isNothing,
    },
  ]
}

function fieldColumn(key: string, field: Field): FieldColumn {
  return {
    name: field.column,
    nameInModel: `${key}.${field.name}`,
    kind: field.storage,
    nullable: field.nullable,
    schema: field.schema,
    stored: field.stored,
    was: field.was,
    isGiven: isGivenByDatabase(field),
    mayBeGiven: mayBeGivenByDatabase(field),
    hasDbDefault: field.hasDbDefault,
    default: field.default,
  }
}

function foreignKeyColumn(name: string, nameInModel: string, nullable: boolean, { id }: Resource): IdColumn {
  return { name, nameInModel, kind: 'foreignKey', nullable, ids: id }
}

/**
 * Leaves out what names the same columns as an earlier one or the primary key, in whatever order: for the same rows, or for some of the
 * rows of another one.
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

/** Equal conditions have equal keys. */
export function conditionKey(where: readonly ColumnIs[]): string {
  return JSON.stringify(where.map(({ column, is }) => JSON.stringify([column, is])).sort())
}

function unindexed(
  foreignKeys: readonly Pick<ForeignKeyLayout, 'columns'>[],
  keys: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const leads = (columns: readonly string[]) => keys.some((key) => columns.every((one, index) => key[index] === one))
  return foreignKeys.map(({ columns }) => columns).filter((columns) => !leads(columns))
}
