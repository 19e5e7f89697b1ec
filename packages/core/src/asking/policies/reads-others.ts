import {
  type FunctionNode,
  type OperationNode,
  OperationNodeTransformer,
  type RawNode,
  type SelectQueryNode,
  type ValueNode,
} from 'kysely'
import { OtherPolicy } from './placeholders.ts'

/**
 * Whether an expression may look at more than its row: it has a subquery, asks another policy, calls a function, or has SQL text, of
 * which nobody knows what it does.
 */
export function readsOthers(expression: OperationNode): boolean {
  const finder = new ReadFinder()
  finder.transformNode(expression)
  return finder.hasFound
}

/** Kysely has nothing that only looks at an expression. What it makes of the nodes is not used. */
class ReadFinder extends OperationNodeTransformer {
  hasFound = false

  protected override transformSelectQuery(node: SelectQueryNode): SelectQueryNode {
    this.hasFound = true
    return node
  }

  protected override transformFunction(node: FunctionNode): FunctionNode {
    this.hasFound = true
    return node
  }

  protected override transformRaw(node: RawNode): RawNode {
    this.hasFound ||= node.sqlFragments.some((text) => /\w/.test(text))
    return super.transformRaw(node)
  }

  protected override transformValue(node: ValueNode): ValueNode {
    this.hasFound ||= node.value instanceof OtherPolicy
    return super.transformValue(node)
  }
}
