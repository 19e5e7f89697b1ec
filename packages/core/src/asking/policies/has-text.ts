import {
  AliasNode,
  type OperationNode,
  OperationNodeTransformer,
  RawNode,
  type SelectQueryNode,
  type ValueNode,
} from 'kysely'
import { namesIn } from './names-in.ts'
import { TenantValue } from './placeholders.ts'

/** Whether an expression contains SQL text, in which no name can be told from another. */
export function hasText(expression: OperationNode): boolean {
  return /\w/.test(found(expression).text)
}

/**
 * The table that SQL text in an expression reads, so that the rows of all tenants would count; undefined if there is none, or the expression
 * names the tenant itself. `tables`: by their bare names, as the model and as the database have them.
 */
export function tableInText(expression: OperationNode, tables: Iterable<string>): string | undefined {
  const { text, isTable, namesTenant } = found(expression)
  if (namesTenant || !(isTable || /\b(?:from|join|table)\b/i.test(text))) return undefined
  const words = new Set([...text.split(/[^\p{L}\p{N}_$]+/u), ...namesIn(expression)].map((word) => word.toLowerCase()))
  return [...tables].find((table) => words.has(table.toLowerCase()))
}

function found(expression: OperationNode): TextFinder {
  const finder = new TextFinder()
  finder.transformNode(expression)
  return finder
}

/** Kysely has nothing that only looks at an expression. What it makes of the nodes is not used. */
class TextFinder extends OperationNodeTransformer {
  text = ''
  /** Text, or what `sql.table` makes, stands where a query names a table. */
  isTable = false
  namesTenant = false

  protected override transformRaw(node: RawNode): RawNode {
    this.text += ` ${node.sqlFragments.join(' ')}`
    return super.transformRaw(node)
  }

  protected override transformSelectQuery(node: SelectQueryNode): SelectQueryNode {
    const tables = [...(node.from?.froms ?? []), ...(node.joins ?? []).map(({ table }) => table)]
    this.isTable ||= tables.some((table) => RawNode.is(AliasNode.is(table) ? table.node : table))
    return super.transformSelectQuery(node)
  }

  protected override transformValue(node: ValueNode): ValueNode {
    this.namesTenant ||= node.value instanceof TenantValue
    return super.transformValue(node)
  }
}
