import { type IdentifierNode, type OperationNode, OperationNodeTransformer } from 'kysely'

/** All names in an expression: of its columns, its tables, and what it calls them. */
export function namesIn(expression: OperationNode): ReadonlySet<string> {
  const finder = new NameFinder()
  finder.transformNode(expression)
  return finder.names
}

/** Kysely has nothing that only looks at an expression. What it makes of the nodes is not used. */
class NameFinder extends OperationNodeTransformer {
  readonly names = new Set<string>()

  protected override transformIdentifier(node: IdentifierNode): IdentifierNode {
    this.names.add(node.name)
    return super.transformIdentifier(node)
  }
}
