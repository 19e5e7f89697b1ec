import type { Count } from '../../asking/scope.ts'
import type { Model } from '../../model/model.ts'
import type { FieldName, IncludeName, Nested } from '../../model/types/contents-types.ts'
import type { IdOf, ShortIdOf } from '../../model/types/id-types.ts'
import type { Filter, SearchText, SortName } from '../../model/types/query-types.ts'
import type { At, Place, RecordOf, RecordThenIn } from '../../model/types/record-type.ts'
import type { ResourceKey } from '../../model/types/resource-keys.ts'

/** Which records of a list. */
export interface Page {
  /** How many at most, from 1. Default 20. */
  readonly limit?: number
  /** How many to leave out before the first, from 0. Default 0. */
  readonly offset?: number
}

/** A page whose limits are known. */
export type PageRange = Required<Page>

/**
 * Which records a list has, and in which order.
 *
 * @example
 * const { rows, count } = await store.book.list({ filter: { title: { contains: 'a' } }, sort: ['-title'], limit: 50 })
 */
export interface ListOptions<
  M extends Model = Model,
  K extends ResourceKey<M> = ResourceKey<M>,
  F extends readonly string[] = readonly FieldName<M, K>[],
  I extends readonly string[] = readonly IncludeName<M, K>[],
> extends Page,
    FindOptions<M, K, F, I> {
  /** Default: all records. */
  readonly filter?: Filter<M, K>
  /**
   * Words, each of which must occur in one of the resource's search fields, whatever the case of its letters; at most
   * 8. Only where the descriptor has `search`.
   */
  readonly search?: SearchText<M, K>
  /** At most 5 keys; records without a value come last, and the id decides between equal ones. Default: by id. */
  readonly sort?: readonly SortName<M, K>[]
  /**
   * How to count the records of all pages: `'exact'`, not at all with `'none'`, or up to a number, which costs the same
   * however many there are. Default: `limits.count`, with `after` `'none'`.
   */
  readonly count?: Count | undefined
  /** `next` of the page before: the list goes on behind it, with the same filter, search and sort. Not with
   * `offset`. */
  readonly after?: string | undefined
}

/**
 * What records have, and which related records.
 *
 * `F` and `I` are the types of `fields` and `include`.
 *
 * @example
 * const { books } = await store.publisher.find(1, { include: ['books'], nested: { books: { limit: 5, sort: ['-title'] } } })
 */
export interface FindOptions<
  M extends Model = Model,
  K extends ResourceKey<M> = ResourceKey<M>,
  F extends readonly string[] = readonly FieldName<M, K>[],
  I extends readonly string[] = readonly IncludeName<M, K>[],
> {
  /**
   * What each record has, besides its id: fields, foreign keys, relations, each of them behind up to two relations, and
   * `count(…)` of a relation. Default: what it carries by itself.
   */
  readonly fields?: Allowed<F, FieldName<M, K>>
  /** Relations to add, behind up to two others, or with `-` to leave out. */
  readonly include?: Allowed<I, IncludeName<M, K>>
  /** Which records nested arrays have, by the paths to them, such as `books` or `books.tags`. */
  readonly nested?: Nested<M, K>
}

/** A list of such names, or of any, if its type does not tell which they are. */
export type Allowed<Given extends readonly string[], Name extends string> = [Given] extends [readonly Name[]]
  ? Given
  : string extends Given[number]
    ? Given
    : readonly Name[]

/** A page of records, and how many there are on all pages. */
export type Listing<R, Counted extends boolean = true> = { rows: R[] } & (Counted extends true
  ? { count: number }
  : { count?: number }) & {
    /** Whether there are more records than `count`. */
    countIs?: 'atLeast'
    /** For `after`, while there are more records. */
    next?: string
  }

/** Whether a list says how many records there are, going by its options `count` and `after`. */
export type IsCounted<C, A> = [C] extends [undefined]
  ? [A] extends [undefined]
    ? true
    : false
  : [C] extends ['exact' | number]
    ? true
    : false

/** An id as the collections of a resource have it. */
export type CollectionId<M extends Model, K extends ResourceKey<M>, P extends Place = 'owner'> = P extends 'top'
  ? IdOf<M['descriptors'], M['descriptors'][K]>
  : ShortIdOf<M['descriptors'], M['descriptors'][K]>

/** What is read. */
export type Shown<M extends Model, K extends ResourceKey<M>, P extends Place, R> = At<
  M['descriptors'],
  K,
  P,
  R,
  'record'
>

/** A record as it carries what it has by default. */
export type Whole<M extends Model, K extends ResourceKey<M>, P extends Place> = Shown<M, K, P, RecordOf<M, K>>

/** Of which moment a record is shown. */
export interface AtMoment {
  /** A date-time, as RFC 3339 has it. One in the future is now. */
  readonly at: string
}

/** A record as it was. */
export type WholeThen<M extends Model, K extends ResourceKey<M>, P extends Place> = Shown<
  M,
  K,
  P,
  RecordThenIn<M['descriptors'], K>
>
