import { sql } from 'kysely'
import type { Selection } from '../../asking/select/selection.ts'
import { tenantIn } from '../../model/callers.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Model, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { idSqlOf } from '../text/member-id-sql.ts'
import { column, type Sql } from '../text/sql-text.ts'
import { tenantSlot } from './of-tenant.ts'

/** The column of the library's own tables that says whose a row is, and the slot of their queries for it. */
export const WHOSE = 'tenant'

/** In that column, for what is no tenant's. */
export const NO_ONES = ''

export type WhoseRow = { readonly [WHOSE]: string }

/** Whose the row of a request is. */
export function whoseRequest(asker: unknown): WhoseRow {
  return { [WHOSE]: String(tenantIn(asker) ?? NO_ONES) }
}

/** Whose a row about records of a resource is: what all tenants share is no tenant's, and a tenant's own record is not
 * either: its id may not be known yet. */
export function whoseRecord(asker: unknown, of: Resource | undefined): WhoseRow {
  return of?.tenant?.isOwnId === false ? whoseRequest(asker) : { [WHOSE]: NO_ONES }
}

/** Whether whoever asks may be told of a record in a row of that column: a tenant's are told to that tenant alone. */
export function isToldTo(model: Model, asker: unknown): (row: string, key: string, id: Id) => boolean {
  if (model.tenant === undefined) return () => true
  const tenant = tenantIn(asker)
  return (row, key, id) => {
    const ofResource = model.resources.get(key)?.tenant
    if (ofResource === undefined) return true
    return ofResource.isOwnId ? id === tenant : tenant !== null && row === String(tenant)
  }
}

/** Whether the records of a resource are one tenant's. */
export function isSomeones({ tenant }: Resource): boolean {
  return tenant !== undefined
}

/** The columns that tell the rows of a table apart, and that they are the tenant's who asks, of the values of these
 * columns. */
export function keyOfRows(context: QueryContext, { idColumns, tenant }: Resource) {
  if (tenant?.isOwnId !== false) return { names: idColumns, isAskers: (): readonly Sql[] => [] }
  const names = [tenant.column, ...idColumns.filter((one) => one !== tenant.column)]
  const isAskers = ([lead]: readonly Sql[]): readonly Sql[] => [sql`${lead as Sql} = ${tenantSlot(context, tenant)}`]
  return { names, isAskers }
}

/** In a list of all tenants, each record says whose it is. One with a relation to the tenant may say so already. */
export function saysWhose(
  context: QueryContext,
  { resource, properties }: Selection,
  alias: string,
): readonly (readonly [name: string, value: Sql])[] {
  const { tenant, references } = resource
  if (context.reach !== 'each tenant' || tenant === undefined) return []
  const shown = references.find(({ isFixed }) => isFixed)
  if (properties.some((one) => one.kind === 'foreignKey' && one.reference === shown)) return []
  const whose = idSqlOf(context, tenant.of).json(column(alias, tenant.column))
  return [[shown?.foreignKey ?? tenant.column, whose]]
}
