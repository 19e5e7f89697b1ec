import { type CompiledQuery, OperationNodeTransformer, type QueryId, RawNode, sql, type ValueNode } from 'kysely'
import type { AnyKysely } from '../dialect/database.ts'
import { RequestSlot, Slot, type Sql, sqlOfNode } from './sql-text.ts'

export type Row = Readonly<Record<string, unknown>>

/** A statement with its parameters. */
export type Query = CompiledQuery<Row>

/** JSON that the database made: a text, or null where it made none; undefined if there is no row. */
export type JsonText = string | null | undefined

/** Values for the slots of a statement: by name, or by number. */
export type SlotValues = Readonly<Record<string, unknown>> | readonly unknown[]

/** A statement that was compiled once for one database, and runs there with other values each time. */
export class Prepared {
  readonly sql: string
  readonly query: Query['query']
  readonly queryId: Query['queryId']
  readonly #slots: readonly (Slot | RequestSlot)[]
  /** The slots are numbered in the order in which they stand. */
  readonly #isInOrder: boolean

  constructor({ sql, queryId, parameters }: Query) {
    this.sql = sql
    // Not the tree that it was compiled from: that would be kept as long as the statement, and is far larger.
    this.query = RawNode.createWithSql(sql)
    this.queryId = queryId
    this.#slots = parameters.map((parameter) => {
      if (parameter instanceof Slot || parameter instanceof RequestSlot) return parameter
      throw new TypeError('a prepared statement takes its values from slots')
    })
    this.#isInOrder = this.#slots.every(
      (slot, index) => slot instanceof Slot && slot.name === index && slot.read === undefined,
    )
  }

  /** The parameters, in the order in which they stand in the statement: the values of its slots, and what the request
   * supplies. */
  parameters(values: SlotValues, requestContext?: unknown): readonly unknown[] {
    if (this.#isInOrder && Array.isArray(values)) return values
    const named = values as Readonly<Record<string | number, unknown>>
    return this.#slots.map((slot) => {
      if (!(slot instanceof Slot)) return slot.read(requestContext)
      const value = named[slot.name]
      return slot.read === undefined ? value : slot.read(value)
    })
  }

  /** The same statement, for a shape that a client makes. */
  asClientShape(): Prepared {
    const { sql, query, queryId } = this
    return new Prepared({ sql: sql + CLIENT_SHAPE, query, queryId, parameters: this.#slots })
  }
}

/** Compiles a statement for a database. Its slots are filled by name or number when it runs. */
export function prepare(db: AnyKysely, statement: Sql): Prepared {
  return new Prepared(statement.compile(db) as Query)
}

/**
 * Stands behind the text of a statement whose shape a client makes. A driver keeps such statements apart from all
 * others, and the text is all that reaches it. It stands at the end because proxies and tracing go by the first word.
 */
export const CLIENT_SHAPE = ' /* client shape */'

export function isClientShape(sql: string): boolean {
  return sql.endsWith(CLIENT_SHAPE)
}

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
