import { type OperationNode, OperationNodeTransformer, type RawNode, type ValueNode } from 'kysely'
import { namesIn } from './names-in.ts'
import { TenantValue } from './placeholders.ts'

/**
 * The table that SQL text in an expression reads, so that the rows of all tenants would count; undefined if there is none, or the expression
 * names the tenant itself.
 */
export function tableInText(expression: OperationNode, tables: Iterable<string>): string | undefined {
  const finder = new TextFinder()
  finder.transformNode(expression)
  if (finder.namesTenant || !/\b(?:from|join)\b/i.test(finder.text)) return undefined
  const names = namesIn(expression)
  const words = new Set(finder.text.toLowerCase().split(/[^\p{L}\p{N}_$]+/u))
  return [...tables].find((table) => {
    const bare = table.slice(table.lastIndexOf('.') + 1)
    return words.has(bare.toLowerCase()) || names.has(bare)
  })
}

/** Kysely has nothing that only looks at an expression. What it makes of the nodes is not used. */
class TextFinder extends OperationNodeTransformer {
  text = ''
  namesTenant = false

  protected override transformRaw(node: RawNode): RawNode {
    this.text += ` ${node.sqlFragments.join(' ')}`
    return super.transformRaw(node)
  }

  protected override transformValue(node: ValueNode): ValueNode {
    this.namesTenant ||= node.value instanceof TenantValue
    return super.transformValue(node)
  }
}
