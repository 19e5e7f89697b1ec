import type { Model, TenantDeclaration } from '@fastify-crud/core'
import type { Link, Resource } from '@fastify-crud/core/internal'
import {
  type ColumnLayout,
  type ForeignKeyLayout,
  foreignKeyColumn,
  type IdColumn,
  isIdColumn,
} from './table-layout.ts'

/** Whether the keys of tables begin with the tenant: `'whole'`. */
export type KeyStyle = NonNullable<TenantDeclaration['keys']>

export function keyStyleOf({ tenant }: Model): KeyStyle {
  return tenant?.keys ?? 'whole'
}

/** What a table has so that its keys begin with the column of the tenant. */
export interface KeyLead {
  /** The column; undefined where the rows are no tenant's, or keys are plain. */
  readonly column: string | undefined
  /** The column itself, where no relation shows it. */
  readonly columns: readonly IdColumn[]
  /** The foreign key of the column, where no relation shows it. Tables that exist may lack it. */
  readonly foreignKeys: readonly ForeignKeyLayout[]
  /** The columns of a key, behind that one. */
  behind(columns: readonly string[]): readonly string[]
}

/** `named`: what the model calls the table, and its foreign key. */
export function keyLead(of: Resource | Link, keys: KeyStyle, named: { table: string; key: string }): KeyLead {
  const column = leadOf(of, keys)
  const { tenant } = of
  const isShown = 'references' in of && of.references.some(({ isFixed }) => isFixed)
  const behind: KeyLead['behind'] = (columns) => withLead(column, columns)
  if (tenant === undefined || tenant.isOwnId || isShown) return { column, columns: [], foreignKeys: [], behind }
  const nameInModel = `${named.table}.${tenant.column}`
  const foreignKey: ForeignKeyLayout = {
    ...plainKey(tenant.column, tenant.of.idColumns[0]),
    nameInModel: `the tenant of ${named.key}`,
    target: tenant.of.table,
    whenTargetGoes: 'refuse',
    isConstrained: keys === 'whole',
  }
  const shown = { ...foreignKeyColumn(tenant.column, nameInModel, false, tenant.of), isFixed: true }
  return { column, columns: [shown], foreignKeys: [foreignKey], behind }
}

function leadOf({ tenant }: Resource | Link, keys: KeyStyle): string | undefined {
  return keys === 'plain' || tenant === undefined || tenant.isOwnId ? undefined : tenant.column
}

function withLead(column: string | undefined, columns: readonly string[]): readonly string[] {
  return column === undefined ? columns : [column, ...columns.filter((one) => one !== column)]
}

/** The columns that tell the rows of a table apart, whatever its keys are. */
export function rowKey(of: Resource, columns: readonly string[]): readonly string[] {
  return withLead(leadOf(of, 'whole'), columns)
}

function plainKey(column: string, targetColumn: string) {
  return { columns: [column], targetColumns: [targetColumn], column, targetColumn }
}

/** A foreign key from one table to another: it begins with the tenant if the keys of both do. */
export function keyTo(from: Resource | Link, column: string, target: Resource, keys: KeyStyle) {
  const [targetColumn] = target.idColumns
  const [own, others] = [leadOf(from, keys), leadOf(target, keys)]
  const ofTenants = from.tenant?.isOwnId && keys === 'whole' ? from.tenant.column : own
  if (ofTenants === undefined || others === undefined) return plainKey(column, targetColumn)
  return { ...plainKey(column, targetColumn), columns: [ofTenants, column], targetColumns: [others, targetColumn] }
}

/** Why tables cannot be cut by what their keys begin with; undefined: they can. `are`: what they are to be. */
export function whyNoLead({ tenant }: Model, are: string): string | undefined {
  if (tenant === undefined) return `${are} by the tenant, and the model has no tenants`
  if (tenant.keys === 'plain')
    return `${are} by the tenant, with which no key begins where the model says keys: 'plain'`
  return undefined
}

/** Whether it is the column of the tenant, which all tables have. */
export function isTenantColumn(column: ColumnLayout): boolean {
  return isIdColumn(column) && column.isFixed === true
}

/** What else there is to say of a column that a view lacks. */
export function aboutColumnOfView(column: ColumnLayout): string {
  return isTenantColumn(column) ? ': the view has to show the tenant of each row' : ''
}

/** The table that has the tenants; undefined in a model without. */
export function tableOfTenants({ tenant, resources }: Model): string | undefined {
  return resources.get(tenant?.resource ?? '')?.table
}
