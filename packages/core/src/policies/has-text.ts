import { type OperationNode, OperationNodeTransformer, type RawNode } from 'kysely'

/** Whether an expression contains SQL text, in which no name can be told from another. */
export function hasText(expression: OperationNode): boolean {
  const finder = new TextFinder()
  finder.transformNode(expression)
  return finder.hasText
}

/** Kysely has nothing that only looks at an expression. What it makes of the nodes is not used. */
class TextFinder extends OperationNodeTransformer {
  hasText = false

  protected override transformRaw(node: RawNode): RawNode {
    this.hasText ||= node.sqlFragments.some((text) => /\w/.test(text))
    return super.transformRaw(node)
  }
}
