import type { Field, Index, Resource, UniqueKey } from '@fastify-crud/core/internal'
import {
  distinct,
  foreignKeyColumn,
  hiddenTenantColumn,
  namesTable,
  ownerKey,
  referenceKey,
  type TenantKeys,
  tenantKey,
  tenantPart,
  unindexed,
  withTenant,
} from './table-keys.ts'
import {
  columnsIn,
  type FieldColumn,
  fieldColumn,
  type IdColumn,
  plainColumn,
  type TableLayout,
  type UniqueLayout,
} from './table-layout.ts'

export function resourceTable(resource: Resource, keys: TenantKeys): TableLayout {
  const { key, table, isWritable, hasId, fields, members, ownedBy, references, softDelete, tenant } = resource
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
      ...(tenant === undefined || ofTenants.length === 0 ? [] : [hiddenTenantColumn(key, tenant)]),
      ...ownIdColumn(resource),
      ...fields.map((field) => fieldColumn(key, field)),
      ...members.flatMap((one) => (isUnseenNumber(resource, one) ? [fieldColumn(key, one)] : [])),
      ...(softDelete === undefined ? [] : [fieldColumn(key, softDelete)]),
      ...discriminatorColumn(resource),
      ...ownedBy.map(({ column, name, nullable, target }) =>
        foreignKeyColumn(column, `${key}.${name}`, nullable, target),
      ),
      ...references.map(({ column, name, nullable, target, isTenant }) => ({
        ...foreignKeyColumn(column, `${key}.${name}`, nullable, target),
        isTenant,
      })),
    ],
    primaryKey,
    tenantColumn: ofTenant,
    idColumns,
    foreignKeys,
    uniques,
    indexes: unindexed(
      [...ofTenants, ...toOwners, ...toOthers],
      [primaryKey, ...columnsIn(uniques), ...declaredIndexes],
    ),
    declaredIndexes,
    searchKey: withTenant(tenantPart(resource, 'whole'), idColumns),
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
function uniqueLayout(
  { where: ofRows, softDelete }: Resource,
  key: UniqueKey,
  ofTenant: string | undefined,
): UniqueLayout {
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
  const columns = withTenant(ofTenant, own)
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
