import type { Stores } from '@fastify-crud/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authorize } from './access/authorize.ts'
import type { CallerOf, Limits, TenantOf } from './options.ts'

/** What every handler of a registration works with. */
export interface Service {
  readonly stores: Stores
  readonly limits: Limits
  readonly prefix: string
  readonly caller: CallerOf | undefined
  readonly tenant: TenantOf | undefined
  readonly authorize: Authorize | undefined
}

export type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
