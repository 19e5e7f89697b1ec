import type { ExpressionBuilder, ExpressionWrapper } from 'kysely'
import type { CallersTypeName } from '../callers.ts'

/** What an expression over a resource's table is made of. `Tables` and `Table` may be given, to have names checked by
 * the compiler. */
export interface ComputedBuilder<
  // biome-ignore lint/suspicious/noExplicitAny: the compiler does not know a descriptor's fields while it reads the descriptor
  Tables = any,
  // biome-ignore lint/suspicious/noExplicitAny: the same
  Table extends keyof Tables = any,
> {
  /** Kysely's expression builder on the resource's table, with its real columns. Subqueries read other tables as they
   * are. */
  readonly eb: ExpressionBuilder<Tables, Table>
  /**
   * A value of the caller, which each request fills in; null where there is no caller. It has the type of the column
   * that it is compared with. Where it is compared with something else, `type` says it.
   */
  readonly my: {
    (name: string, type?: CallersTypeName): OfRequest
    /** In a model with tenants: the id of the one whose records the request is about. */
    readonly tenant: OfRequest
  }
  /** All records at the other end of a relation, to select from: `eb.selectFrom(related('lines').as('line'))`. */
  related(relation: string): OfRequest
  /** The same without those that the caller may not see. */
  visible(relation: string): OfRequest
}

// biome-ignore lint/suspicious/noExplicitAny: nothing is known of it at compile time
type OfRequest = ExpressionWrapper<any, any, any>

declare module './computed.ts' {
  interface TypesOfKysely {
    readonly computedBuilder: ComputedBuilder
  }
}
