import { AliasNode, JoinNode, type OperationNode, QueryNode, type SelectQueryNode, sql, TableNode } from 'kysely'
import type { TenantColumn } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { type Sql, sqlOfNode } from '../text/sql-text.ts'
import { tenantOf } from '../text/tenant-sql.ts'

/** A subquery that an application has written, with the rows of the tenant who asks in place of each table of the model that it names. */
export function ofTenant(context: QueryContext, query: SelectQueryNode): SelectQueryNode {
  if (context.tenants === undefined || context.reach === 'all tenants') return query
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

/** Undefined for what is no table of a tenant's. `own`: the names that the query gives to subqueries. */
function conditionOn(context: QueryContext, node: OperationNode, own: ReadonlySet<string>): Sql | undefined {
  const [table, alias] = AliasNode.is(node) ? [node.node, node.alias] : [node, undefined]
  if (!TableNode.is(table)) return undefined
  const { schema, identifier } = table.table
  if (schema === undefined && own.has(identifier.name)) return undefined
  const tenant = tenantOfTable(context, identifier.name)
  if (tenant === undefined) return undefined
  const called = alias ?? table
  return sql`${sqlOfNode(called)}.${sql.id(tenant.column)} = ${tenantOf(context, undefined)}`
}

/**
 * Undefined for a table of no tenant. An expression may spell a name as the database does, and name the schema. So the bare names are compared
 * as the database has them: of a table with the same name in another schema, too much is asked, never too little.
 */
function tenantOfTable({ tenants, names }: QueryContext, name: string): TenantColumn | undefined {
  const inDatabase = (table: string) => names.column(table.slice(table.lastIndexOf('.') + 1)).toLowerCase()
  const wanted = inDatabase(name)
  for (const [table, all] of tenants?.tables ?? []) {
    const owned = all.find(({ tenant }) => tenant !== undefined)
    if (owned !== undefined && inDatabase(table) === wanted) return owned.tenant
  }
  return undefined
}
