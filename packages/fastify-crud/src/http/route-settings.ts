import type { Model, ResourceKey } from '@fastify-crud/core'
import type { Operation } from '@fastify-crud/core/internal'
import type { FastifyContextConfig, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'

/** What of Fastify's options the application may set for a route. The plugin's routes send text, so `preSerialization`
 * is none of them. */
export const ROUTE_SETTINGS = [
  'config',
  'logLevel',
  'onRequest',
  'preParsing',
  'preValidation',
  'preHandler',
  'onSend',
  'onResponse',
  'onError',
  'onTimeout',
  'onRequestAbort',
] as const

/**
 * What the routes of an operation have besides the plugin's own. Hooks run as they do in Fastify: behind those of the
 * instance, before the plugin does anything.
 *
 * @example
 * const slow: RouteSettings = { config: { rateLimit: { max: 10, timeWindow: '1 minute' } }, logLevel: 'warn' }
 */
export interface RouteSettings extends Readonly<Pick<RouteShorthandOptions, (typeof ROUTE_SETTINGS)[number]>> {
  readonly config?: FastifyContextConfig & Readonly<Record<string, unknown>>
}

/** The settings of routes, by resource key and operation or action: for all of its paths, below owners and of links,
 * too. */
export type Routes<M extends Model = Model, A = unknown> = {
  readonly [K in ResourceKey<M>]?: { readonly [O in Operation | 'changes' | ActionNameIn<A, K>]?: RouteSettings }
}

/** The names of a resource's actions, as far as `A` has them: the type of the option `actions`. */
export type ActionNameIn<A, K> = K extends keyof A
  ? string extends keyof NonNullable<A[K]>
    ? never
    : keyof NonNullable<A[K]> & string
  : never

/** What a route is for, in its `config.crud`. */
export interface CrudRouteConfig {
  readonly resource: string
  /** Of an action of the application: its name. */
  readonly operation: Operation | (string & {})
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of the routes of fastify-crud, but those that refuse other methods (405) or serve its document. */
    crud?: CrudRouteConfig
  }
}

export type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
