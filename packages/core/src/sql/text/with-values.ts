import { OperationNodeTransformer, type QueryId, sql, type ValueNode } from 'kysely'
import { RequestSlot, type Sql, sqlOfNode } from './sql-text.ts'

/** A piece of SQL with what a request supplies in place of its slots, for a query of the application's own. */
export function withValues<Row>(piece: Sql, requestContext: unknown) {
  const node = new SlotFiller(requestContext).transformNode(piece.toOperationNode())
  return sql<Row>`${sqlOfNode(node)}`
}

class SlotFiller extends OperationNodeTransformer {
  readonly #requestContext: unknown

  constructor(requestContext: unknown) {
    super()
    this.#requestContext = requestContext
  }

  protected override transformValue(node: ValueNode, queryId?: QueryId): ValueNode {
    const { value } = node
    if (!(value instanceof RequestSlot)) return super.transformValue(node, queryId)
    return { ...node, value: value.read(this.#requestContext) }
  }
}
