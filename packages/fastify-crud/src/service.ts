import type { Stores } from '@fastify-crud/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authorize } from './access/authorize.ts'
import type { CallerOf, Limits, TenantOf } from './options.ts'
import type { Replica } from './replica/replica.ts'

/** What every handler of a registration works with. */
export interface Service {
  readonly stores: Stores
  readonly limits: Limits
  readonly prefix: string
  readonly caller: CallerOf | undefined
  readonly tenant: TenantOf | undefined
  readonly authorize: Authorize | undefined
  /** Undefined where all is read from one server. */
  readonly replica: Replica | undefined
}

export type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
