import type { Expression, ExpressionBuilder, ExpressionWrapper } from 'kysely'
import type { CallersTypeName } from '../callers.ts'
import type { FieldSchema } from '../values/schema-facts.ts'

/** What a descriptor says of a computed field: a read-only property that the database computes for each record. */
export type ComputedDeclaration = Aggregate | ComputedExpression

/** What may be said of any computed field. */
export interface ComputedOptions {
  /** `false`: only the record itself shows it, and not other records that show this one. */
  readonly summary?: boolean
  /** The roles of which a caller has to have one to see it. For all others it does not exist. */
  readonly access?: { readonly View: readonly string[] }
}

/** A computed field that is written as an expression of Kysely's. */
export interface ComputedExpression extends ComputedOptions {
  /** What its values are: a JSON Schema, with null if there may be none. */
  readonly schema: FieldSchema
  /** Returns the expression. It is called when a store is made for callers with the same roles, and not for each
   * request. */
  readonly value: (on: ComputedBuilder) => Expression<unknown>
}

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

/** A computed field over the records at the other end of a relation. */
export interface Aggregate<
  Kind extends AggregateKind = AggregateKind,
  Relation extends string = string,
  Field extends string | undefined = string | undefined,
> extends ComputedOptions {
  readonly aggregate: Kind
  readonly relation: Relation
  /** The field of those records; a count has none. */
  readonly field: Field
  /** Leaves out records that the caller may not see. */
  readonly visible: boolean
}

export type AggregateKind = 'count' | 'sum' | 'min' | 'max'

/** The records of a relation without those that the caller may not see. */
export interface VisibleRecords<Relation extends string = string> {
  readonly visible: Relation
}

/**
 * For `sumOf` and the like: leaves out the records of a relation that the caller may not see. Without it, all count.
 *
 * @example
 * const computed = { total: sumOf(visible('lines'), 'amount') }
 */
export function visible<const Relation extends string>(relation: Relation): VisibleRecords<Relation> {
  return Object.freeze({ visible: relation })
}

/**
 * The number of records of a relation, for `computed` in a descriptor. It counts all of them, also those that the
 * caller may not see, unless it is written with `visible`.
 *
 * @example
 * const computed = { lineCount: countOf('lines') }
 */
export function countOf<const R extends string, const O extends ComputedOptions = Nothing>(
  records: R | VisibleRecords<R>,
  options?: O,
): Aggregate<'count', R, undefined> & NoInfer<O> {
  return aggregate('count', records, undefined, options)
}

/**
 * The sum of a field over the records of a relation; 0 if there are none. The field is an integer, a number or a
 * `decimal`. A sum of decimals is exact; on SQLite it needs a connection that `openSqlite` opened.
 *
 * @example
 * const computed = { total: sumOf('lines', 'amount') }
 */
export function sumOf<const R extends string, const F extends string, const O extends ComputedOptions = Nothing>(
  records: R | VisibleRecords<R>,
  field: F,
  options?: O,
): Aggregate<'sum', R, F> & NoInfer<O> {
  return aggregate('sum', records, field, options)
}

/**
 * The least value of a field over the records of a relation, in the order of sorts; null if there is none.
 *
 * @example
 * const computed = { cheapest: minOf('books', 'price') }
 */
export function minOf<const R extends string, const F extends string, const O extends ComputedOptions = Nothing>(
  records: R | VisibleRecords<R>,
  field: F,
  options?: O,
): Aggregate<'min', R, F> & NoInfer<O> {
  return aggregate('min', records, field, options)
}

/**
 * The greatest value of a field over the records of a relation, in the order of sorts; null if there is none.
 *
 * @example
 * const computed = { dearest: maxOf('books', 'price') }
 */
export function maxOf<const R extends string, const F extends string, const O extends ComputedOptions = Nothing>(
  records: R | VisibleRecords<R>,
  field: F,
  options?: O,
): Aggregate<'max', R, F> & NoInfer<O> {
  return aggregate('max', records, field, options)
}

type Nothing = Readonly<Record<never, never>>

function aggregate<
  Kind extends AggregateKind,
  R extends string,
  F extends string | undefined,
  O extends ComputedOptions,
>(kind: Kind, records: R | VisibleRecords<R>, field: F, options: O | undefined): Aggregate<Kind, R, F> & O {
  const isVisible = typeof records !== 'string'
  const relation = isVisible ? records.visible : records
  const plain: Aggregate<Kind, R, F> = { aggregate: kind, relation, field, visible: isVisible }
  const made = Object.assign(plain, options as O)
  Object.freeze(made)
  return made
}
