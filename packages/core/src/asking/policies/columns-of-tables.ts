import {
  AliasNode,
  IdentifierNode,
  type OperationNode,
  OperationNodeTransformer,
  type QueryId,
  RawNode,
  SelectQueryNode,
  ValueNode,
} from 'kysely'
import type { Link, Model, Resource } from '../../model/model.ts'
import { onceFor } from '../../model/once-for.ts'
import { allRelationsOf, storedFields } from '../../model/resource-tree.ts'
import { type CallersType, TenantValue, typeOfField, typeOfIds } from './callers-type.ts'

/** The types of a table's columns, by their names. A column that is missing is none that the model knows, or holds
 * JSON. */
export type Columns = ReadonlyMap<string, CallersType>

/** What the tables of resources and their links hold, by the table's name. */
export type Tables = ReadonlyMap<string, readonly (Resource | Link)[]>

export function tablesOf(resources: Iterable<Resource>): Tables {
  const all = [...resources].flatMap((resource): (Resource | Link)[] => [resource, ...resource.links])
  return Map.groupBy(all, ({ table }) => table)
}

/** All tables of a model. */
export const tablesIn: (model: Model) => Tables = onceFor(({ resources }) => tablesOf(resources.values()))

/** The resources to which relations lead from one, itself included. */
export function resourcesAround(resource: Resource): Iterable<Resource> {
  const around = new Set([resource])
  // A set grows while it is walked.
  for (const one of around) for (const { target } of allRelationsOf(one)) around.add(target)
  return around
}

export const columnsOf: (rows: Resource | Link) => Columns = onceFor((rows) =>
  'kind' in rows ? columnsOfLink(rows) : columnsOfResource(rows),
)

function columnsOfResource(resource: Resource): Columns {
  const columns = new Map<string, CallersType>()
  if (resource.hasId && resource.idMembers.length === 0) columns.set(resource.idColumns[0], typeOfIds(resource.id))
  for (const field of storedFields(resource)) {
    const type = typeOfField(field)
    if (type !== undefined) columns.set(field.column, type)
  }
  for (const { column, target } of [...resource.references, ...resource.ownedBy]) {
    columns.set(column, typeOfIds(target.id))
  }
  if (resource.tenant !== undefined) columns.set(resource.tenant.column, typeOfIds(resource.tenant.of.id))
  return columns
}

function columnsOfLink({ fromColumn, toColumn, source, target, tenant }: Link): Columns {
  return new Map([
    ...(tenant === undefined ? [] : [[tenant.column, typeOfIds(tenant.of.id)] as const]),
    [fromColumn, typeOfIds(source.id)],
    [toColumn, typeOfIds(target.id)],
  ])
}

/** All nodes of an expression. */
export function nodesIn(expression: OperationNode): readonly OperationNode[] {
  const collector = new NodeCollector()
  collector.transformNode(expression)
  return collector.nodes
}

/** Kysely has nothing that only looks at an expression. What it makes of the nodes is not used. */
class NodeCollector extends OperationNodeTransformer {
  readonly nodes: OperationNode[] = []

  protected override transformNodeImpl<T extends OperationNode>(node: T, queryId?: QueryId): T {
    this.nodes.push(node)
    return super.transformNodeImpl(node, queryId)
  }
}

/** All names in an expression: of its columns, its tables, and what it calls them. */
export function namesIn(expression: OperationNode): ReadonlySet<string> {
  return new Set(nodesIn(expression).flatMap((node) => (IdentifierNode.is(node) ? [node.name] : [])))
}

/** Whether an expression contains SQL text, in which no name can be told from another. */
export function hasText(expression: OperationNode): boolean {
  return /\w/.test(textOf(nodesIn(expression)))
}

function textOf(nodes: readonly OperationNode[]): string {
  return nodes.flatMap((node) => (RawNode.is(node) ? node.sqlFragments : [])).join(' ')
}

/**
 * The table that SQL text in an expression reads, so that the rows of all tenants would count; undefined if there is
 * none, or the expression names the tenant itself. `tables`: by their bare names, as the model and as the database have
 * them.
 */
export function tableInText(expression: OperationNode, tables: Iterable<string>): string | undefined {
  const nodes = nodesIn(expression)
  const text = textOf(nodes)
  if (nodes.some(namesTenant) || !(nodes.some(readsText) || /\b(?:from|join|table)\b/i.test(text))) return undefined
  const words = new Set([...text.split(/[^\p{L}\p{N}_$]+/u), ...namesIn(expression)].map((word) => word.toLowerCase()))
  return [...tables].find((table) => words.has(table.toLowerCase()))
}

function namesTenant(node: OperationNode): boolean {
  return ValueNode.is(node) && node.value instanceof TenantValue
}

/** Whether text, or what `sql.table` makes, stands where a query names a table. */
function readsText(node: OperationNode): boolean {
  if (!SelectQueryNode.is(node)) return false
  const tables = [...(node.from?.froms ?? []), ...(node.joins ?? []).map(({ table }) => table)]
  return tables.some((table) => RawNode.is(AliasNode.is(table) ? table.node : table))
}
