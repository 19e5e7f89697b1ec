import type { Link } from '@fastify-crud/core/internal'
import {
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
import { columnsIn, type ForeignKeyLayout, type TableLayout } from './table-layout.ts'

export function linkTable(link: Link, keys: TenantKeys): TableLayout {
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
      ...(tenant === undefined ? [] : [hiddenTenantColumn(table, tenant)]),
      foreignKeyColumn(fromColumn, nameInModel, false, source),
      foreignKeyColumn(toColumn, nameInModel, false, target),
    ],
    primaryKey,
    tenantColumn: ofTenant,
    idColumns: [],
    foreignKeys: [...ofTenants, from, ...(namesTable(link) ? [to] : [])],
    uniques,
    indexes: unindexed([...ofTenants, from, to], [primaryKey, ...columnsIn(uniques)]),
    declaredIndexes: [],
    searched: [],
    searchKey: [],
    discriminator: undefined,
    owners: undefined,
  }
}
