import type { AnyKysely, Id, Listing, Model, RecordOf, ResourceKey } from '@fastify-crud/core'
import type { ActionAnswer, Operation } from '@fastify-crud/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Action } from '../access/authorize.ts'
import type { ActionNameIn } from './route-settings.ts'

/** The endpoints that an application replaces, by resource key and operation or action. */
export type Handlers<M extends Model = Model, C = unknown, A = unknown> = {
  readonly [K in ResourceKey<M>]?: {
    readonly [O in Operation | ActionNameIn<A, K>]?: ReplacedEndpoint<ResultOf<M, K, O, A>, C>
  }
}

/** Of an action: what it answers, else the record. */
type ResultOf<M extends Model, K extends ResourceKey<M>, O, A> = O extends Operation
  ? Results<M, K>[O]
  : K extends keyof A
    ? ActionAnswer<NonNullable<A[K]>[O & keyof NonNullable<A[K]>], Written<M, K>>
    : unknown

/** What the predefined endpoints result in. */
interface Results<M extends Model, K extends ResourceKey<M>> {
  list: Listing<RecordOf<M, K>>
  findOne: RecordOf<M, K>
  create: Written<M, K>
  replace: Written<M, K>
  patch: Written<M, K>
  delete: undefined
  deleted: unknown
  restore: Written<M, K>
  purge: undefined
  history: unknown
  undo: Written<M, K>
}

/** Undefined where the record is larger than `limits.maxAnswer`: it is written nevertheless. */
type Written<M extends Model, K extends ResourceKey<M>> = RecordOf<M, K> | undefined

/** The other ways to an operation, besides its own path and one body. */
export const OTHER_WAYS = ['array', 'filter', 'by', 'link', 'topLevel', 'at'] as const
export type OtherWay = (typeof OTHER_WAYS)[number]

/** What the service knows of a request before it calls a handler. */
export interface HandledRequest<C = unknown> {
  /** What the option `caller` has returned; an empty object where there is none. */
  readonly caller: C
  /** The id of the tenant, as ids are compared. Undefined in a model without tenants, and for who makes a tenant and
   * has none yet. */
  readonly tenant: Id | undefined
  /** The database of the request: the option `db`, or what its `of` has returned. */
  readonly db: AnyKysely
}

/**
 * Replaces a predefined endpoint, whose result is a `Result`. `C`: the caller.
 *
 * @example
 * const findBook: ReplacedEndpoint<RecordOf<typeof resources, 'book'>> = {
 *   access: { action: 'View', id: 'id' },
 *   async handler(_request, reply, next) {
 *     const book = await next()
 *     reply.header('x-title', encodeURIComponent(book.title))
 *   },
 * }
 */
export interface ReplacedEndpoint<Result = unknown, C = unknown> {
  /** What `authorize` is asked before the handler runs. */
  readonly access: {
    readonly action: Action
    /** The path parameter that holds the record's id; required for operations on a single record. */
    readonly id?: string
  }

  /**
   * Other ways to the operation that the handler gets, too. Those that it does not name are 405, as they would go past
   * it. `'array'`: a body of many records. `'filter'`: all records that match. `'by'`: PUT by unique values, which
   * counts as `create` and as `replace`. `'link'`: the path of a link, and of the page of related records.
   * `'topLevel'`: the path of an owned resource at the top. `'at'`: a record as it was (`?at=`). Default: none.
   */
  readonly also?: readonly OtherWay[]

  /**
   * Answers in place of the predefined endpoint: with `reply`, or by calling `next()`, which runs the predefined
   * endpoint and resolves to its result. That result is sent when the handler is done and has not answered itself.
   * `handled`: who asks, and whose records the request is about.
   */
  handler(
    request: FastifyRequest,
    reply: FastifyReply,
    next: () => Promise<Result>,
    handled: HandledRequest<C>,
  ): void | Promise<void>
}

const SINGLE: ReadonlySet<Operation> = new Set([
  'findOne',
  'replace',
  'patch',
  'delete',
  'restore',
  'purge',
  'history',
  'undo',
])

/** Operations on a single record that is there. */
export function isSingle(operation: Operation): boolean {
  return SINGLE.has(operation)
}
