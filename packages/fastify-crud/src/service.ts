import type { Stores } from '@fastify-crud/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authorize } from './access/authorize.ts'
import type { CallerOf, Limits } from './options.ts'

/** What every handler of a registration works with. */
export interface Service {
  readonly stores: Stores
  readonly limits: Limits
  readonly prefix: string
  readonly caller: CallerOf | undefined
  readonly authorize: Authorize | undefined
}

export type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** Who is asking, as the application says. Throws a TypeError unless that is an object. It is frozen, so no request changes it. */
export function checkedCaller(caller: unknown): object {
  if (typeof caller !== 'object' || caller === null) {
    throw new TypeError(
      'the option `caller` must return an object, such as { id: 7 }; throw an error to refuse a request',
    )
  }
  return Object.freeze(caller)
}
