import { sql } from 'kysely'
import { tenantIn } from '../../model/any-tenant.ts'
import type { Link, Resource, TenantColumn } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { column, requestSlot, type Sql } from './sql-text.ts'

/** What the rows of a list go by. */
export const LISTED = 't0'

/**
 * Whether a row is the tenant's who asks; undefined where the rows of all tenants count. The column stands alone beside the parameter:
 * engines that keep tenants apart find them only so.
 */
export function isOfTenant(context: QueryContext, { tenant }: Resource | Link, alias?: string): Sql | undefined {
  if (tenant === undefined) return undefined
  const own = alias === undefined ? sql`${sql.id(tenant.column)}` : column(alias, tenant.column)
  const wanted = tenantOf(context, alias)
  return wanted && sql`${own} = ${wanted}`
}

/** Whose the rows of an alias are; undefined: all tenants'. */
export function tenantOf(context: QueryContext, alias: string | undefined): Sql | undefined {
  const { tenants, reach } = context
  if (tenants === undefined || reach === 'all tenants') return undefined
  if (reach === 'one tenant') return tenantSlot(context, tenants)
  return alias === LISTED ? undefined : column(LISTED, tenants.column)
}

/** The tenant who asks, as the column holds it. */
export function tenantSlot({ dialect }: QueryContext, { of }: Pick<TenantColumn, 'of'>): Sql {
  return dialect.compared(dialect.ids[of.id.stored].typed(requestSlot(tenantIn)))
}
