import { AliasNode, JoinNode, type OperationNode, QueryNode, type SelectQueryNode, sql, TableNode } from 'kysely'
import { tablesIn } from '../../asking/policies/columns-of-tables.ts'
import { tenantIn } from '../../model/callers.ts'
import type { Link, Model, Resource, TenantColumn } from '../../model/model.ts'
import { onceFor } from '../../model/once-for.ts'
import { deletedTogether } from '../../model/resource-tree.ts'
import type { QueryContext } from '../context.ts'
import { column, join, LISTED, requestSlot, type Sql, sqlOfNode } from '../text/sql-text.ts'

/**
 * A subquery that an application has written, with conditions for each table of the model that it names: its rows are
 * those of the tenant who asks, and none that is deleted.
 */
export function ofTenant(context: QueryContext, query: SelectQueryNode): SelectQueryNode {
  if (!limitsTables(context)) return query
  const own = new Set((query.with?.expressions ?? []).map(({ name }) => name.table.table.identifier.name))
  const conditionOf = (table: OperationNode) => conditionOn(context, table, own)?.toOperationNode()
  const conditions = (query.from?.froms ?? []).map(conditionOf)
  const joins = query.joins?.map((join) => {
    const condition = conditionOf(join.table)
    if (condition === undefined) return join
    // The rows of an outer join have the condition beside them: without such a row, there is one of nulls.
    if (join.on !== undefined) return JoinNode.cloneWithOn(join, condition)
    conditions.push(condition)
    return join
  })
  let inTenant = joins === undefined ? query : { ...query, joins }
  for (const condition of conditions) {
    if (condition !== undefined) inTenant = QueryNode.cloneWithWhere(inTenant, condition)
  }
  return inTenant
}

function limitsTables({ tenants, reach, model }: QueryContext): boolean {
  return (tenants !== undefined && reach !== 'all tenants') || (model !== undefined && keepsDeleted(model))
}

/** Whether rows of deleted records are kept. */
const keepsDeleted = onceFor(({ resources }: Model) =>
  [...resources.values()].some(({ softDelete }) => softDelete !== undefined),
)

/** Undefined for what has no conditions. `own`: the names that the query gives to subqueries. */
function conditionOn(context: QueryContext, node: OperationNode, own: ReadonlySet<string>): Sql | undefined {
  const [table, alias] = AliasNode.is(node) ? [node.node, node.alias] : [node, undefined]
  if (!TableNode.is(table)) return undefined
  const { schema, identifier } = table.table
  if (schema === undefined && own.has(identifier.name)) return undefined
  const called = sqlOfNode(alias ?? table)
  const all = rowsIn(context, identifier.name)
  const tenant = all.find((one) => one.tenant !== undefined)?.tenant
  const wanted = tenant && tenantOf(context, undefined)
  const ofTenant = tenant && wanted ? [sql`${called}.${sql.id(tenant.column)} = ${wanted}`] : []
  const kept = all.flatMap((one) =>
    'softDelete' in one && one.softDelete ? [[one.softDelete.column, one] as const] : [],
  )
  const areKept = [...new Map(kept).values()].map((one) => isThere(context, one, called) as Sql)
  const conditions = [...ofTenant, ...areKept]
  return conditions.length === 0 ? undefined : join(conditions, sql` and `)
}

/**
 * The resources and links of a table; none for any other table. An expression may spell a name as the database does,
 * and name the schema. So the bare names are compared as the database has them: of a table with the same name in
 * another schema, too much is asked, never too little.
 */
function rowsIn({ model, names }: QueryContext, name: string): readonly (Resource | Link)[] {
  if (model === undefined) return []
  const inDatabase = (table: string) => names.column(table.slice(table.lastIndexOf('.') + 1)).toLowerCase()
  const wanted = inDatabase(name)
  return [...tablesIn(model)].flatMap(([table, all]) => (inDatabase(table) === wanted ? all : []))
}

/**
 * Whether a row is the tenant's who asks; undefined where the rows of all tenants count. The column stands alone beside
 * the parameter: engines that keep tenants apart find them only so.
 */
export function isOfTenant(context: QueryContext, { tenant }: Resource | Link, alias?: string): Sql | undefined {
  if (tenant === undefined) return undefined
  const own = alias === undefined ? sql`${sql.id(tenant.column)}` : column(alias, tenant.column)
  const wanted = tenantOf(context, alias)
  return wanted && sql`${own} = ${wanted}`
}

/** Whether a row is not deleted, or is there all the same for a deleted row that is listed. Undefined where no deleted
 * rows are kept. */
export function isThere({ listsDeleted }: QueryContext, resource: Resource, row: Sql): Sql | undefined {
  if (resource.softDelete === undefined) return undefined
  const moment = sql`${row}.${sql.id(resource.softDelete.column)}`
  const isKept = sql`${moment} is null`
  if (listsDeleted?.softDelete === undefined || !deletedTogether(listsDeleted).has(resource)) return isKept
  return sql`(${isKept} or ${moment} = ${column(LISTED, listsDeleted.softDelete.column)})`
}

/** Whose the rows of an alias are; undefined: all tenants'. */
function tenantOf(context: QueryContext, alias: string | undefined): Sql | undefined {
  const { tenants, reach } = context
  if (tenants === undefined || reach === 'all tenants') return undefined
  if (reach === 'one tenant') return tenantSlot(context, tenants)
  return alias === LISTED ? undefined : column(LISTED, tenants.column)
}

/** The tenant who asks, as the column holds it. */
export function tenantSlot({ dialect }: QueryContext, { of }: Pick<TenantColumn, 'of'>): Sql {
  return dialect.compared(dialect.ids[of.id.stored].typed(requestSlot(tenantIn)))
}
