import type { TenantDeclaration } from '@fastify-crud/core'
import type { Link, OwnerReference, Reference, Resource, TenantColumn } from '@fastify-crud/core/internal'
import {
  columnsIn,
  conditionKey,
  type FieldColumn,
  type ForeignKeyLayout,
  fieldColumn,
  type IdColumn,
  type UniqueLayout,
} from './table-layout.ts'

export type TenantKeys = NonNullable<TenantDeclaration['keys']>

/** The column with which the keys of a table begin; undefined if they do not begin with the tenant. */
export function tenantPart({ tenant }: Resource | Link, keys: TenantKeys): string | undefined {
  return keys === 'plain' || tenant === undefined || tenant.isOwnId ? undefined : tenant.column
}

export function withTenant(column: string | undefined, columns: readonly string[]): readonly string[] {
  return column === undefined ? columns : [column, ...columns.filter((one) => one !== column)]
}

/** The column of the tenant, where no relation shows it. */
export function hiddenTenantColumn(table: string, { of, column }: TenantColumn): IdColumn {
  return { ...foreignKeyColumn(column, `${table}.${column}`, false, of), isTenant: true }
}

/** The foreign key to the tenant. Tables that exist may lack it. */
export function tenantKey(key: string, { of, column }: TenantColumn, keys: TenantKeys): ForeignKeyLayout {
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
export function keyTo(from: Resource | Link, column: string, target: Resource, keys: TenantKeys) {
  const [targetColumn] = target.idColumns
  const [own, others] = [tenantPart(from, keys), tenantPart(target, keys)]
  const ofTenants = from.tenant?.isOwnId && keys === 'whole' ? from.tenant.column : own
  if (ofTenants === undefined || others === undefined) return plainKey(column, targetColumn)
  return { ...plainKey(column, targetColumn), columns: [ofTenants, column], targetColumns: [others, targetColumn] }
}

export function ownerKey(owner: OwnerReference, keys: TenantKeys): ForeignKeyLayout {
  return foreignKey(owner, 'delete', keys)
}

export function referenceKey(reference: Reference, keys: TenantKeys): ForeignKeyLayout {
  return foreignKey(reference, reference.needs ? 'refuse' : 'clear', keys)
}

function foreignKey(
  { column, source, name, target, isConstrained }: OwnerReference | Reference,
  whenTargetGoes: ForeignKeyLayout['whenTargetGoes'],
  keys: TenantKeys,
): ForeignKeyLayout {
  const nameInModel = `${source.key}.${name}`
  return { ...keyTo(source, column, target, keys), nameInModel, target: target.table, whenTargetGoes, isConstrained }
}

/** What nobody writes here may be a view, which no foreign key can name. */
export function namesTable({ target }: Reference | Link): boolean {
  return target.isWritable
}

export function foreignKeyColumn(name: string, nameInModel: string, nullable: boolean, target: Resource): IdColumn {
  return { name, nameInModel, kind: 'foreignKey', nullable, ids: target.id, values: valuesNamed(target) }
}

/** The column of the field whose values are the ids of a resource; undefined where it has other ids. */
function valuesNamed({ key, id, idMembers }: Resource): FieldColumn | undefined {
  const [only] = idMembers
  if (only === undefined || id.stored !== 'value') return undefined
  return only.kind === 'field' ? fieldColumn(key, only) : valuesNamed(only.target)
}

/**
 * Leaves out what names the same columns as an earlier one or the primary key, in whatever order: for the same rows, or
 * for some of the rows of another one.
 */
export function distinct(uniques: readonly UniqueLayout[], primaryKey: readonly string[]): readonly UniqueLayout[] {
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

export function unindexed(
  foreignKeys: readonly Pick<ForeignKeyLayout, 'columns'>[],
  keys: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const leads = (columns: readonly string[]) => keys.some((key) => columns.every((one, index) => key[index] === one))
  return foreignKeys.map(({ columns }) => columns).filter((columns) => !leads(columns))
}
