import type { Listing, Model, RecordOf, ResourceKey } from '@fastify-crud/core'
import type { Operation } from '@fastify-crud/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Action } from '../access/authorize.ts'

/** The endpoints that an application replaces, by resource key and operation. */
export type Handlers<M extends Model = Model> = {
  readonly [K in ResourceKey<M>]?: { readonly [O in Operation]?: ReplacedEndpoint<Results<M, K>[O]> }
}

/** What the predefined endpoints result in. */
interface Results<M extends Model, K extends ResourceKey<M>> {
  list: Listing<RecordOf<M, K>>
  findOne: RecordOf<M, K>
  create: Written<M, K>
  replace: Written<M, K>
  patch: Written<M, K>
  delete: undefined
}

/** Undefined where the record is larger than `limits.maxAnswer`: it is written nevertheless. */
type Written<M extends Model, K extends ResourceKey<M>> = RecordOf<M, K> | undefined

/**
 * Replaces a predefined endpoint, whose result is a `Result`.
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
export interface ReplacedEndpoint<Result = unknown> {
  /** What `authorize` is asked before the handler runs. */
  readonly access: {
    readonly action: Action
    /** The path parameter that holds the record's id; required for operations on a single record. */
    readonly id?: string
  }

  /**
   * Answers in place of the predefined endpoint: with `reply`, or by calling `next()`, which runs the predefined endpoint
   * and resolves to its result. That result is sent when the handler is done and has not answered itself.
   */
  handler(request: FastifyRequest, reply: FastifyReply, next: () => Promise<Result>): void | Promise<void>
}
