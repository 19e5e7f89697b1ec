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
  readonly value: (on: BuilderOfKysely) => ExpressionOfKysely
}

/** Types of Kysely, which `computed-builder.ts` adds: programs with types of records and bodies alone do without it. */
// biome-ignore lint/suspicious/noEmptyInterface: another module adds to it
export interface TypesOfKysely {}

// biome-ignore lint/suspicious/noExplicitAny: without Kysely, nothing is known of it
type BuilderOfKysely = TypesOfKysely extends { readonly computedBuilder: infer Builder } ? Builder : any

/** An expression, of which only Kysely knows more. */
interface ExpressionOfKysely {
  toOperationNode(): unknown
}

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
