import type { Model } from '@fastify-crud/core'
import { type Mount, type RouteKind, type RouteSchema, routeSchema, schemasOf } from '@fastify-crud/core/schema'
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { Endpoint } from './endpoints.ts'
import { DEFAULT_PREFIX, type Limits } from './options.ts'

/** Gives the schema of each route, for the API reference. */
export type Documentation = (mount: Mount, endpoint: Endpoint) => RouteOptions

/** What a documented route adds to its options. */
interface RouteOptions {
  readonly schema: FastifySchema & RouteSchema
  readonly validatorCompiler: () => () => true
  readonly serializerCompiler: () => (payload: unknown) => string
}

/**
 * Documents the routes in the OpenAPI document of `@fastify/swagger`, if the application has registered it before.
 * The schemas only document: bodies are checked by the store, and answers come from the database as they are.
 */
export function documentationOf(
  fastify: FastifyInstance,
  model: Model,
  limits: Limits,
  guarded: boolean,
): Documentation | undefined {
  if (!fastify.hasDecorator('swagger')) return undefined
  const idPrefix =
    fastify.prefix === DEFAULT_PREFIX ? '' : fastify.prefix.replaceAll(/[^A-Za-z0-9]+/g, '.').replace(/^\./, '')
  const prefix = idPrefix === '' ? '' : `${idPrefix}.`
  for (const schema of schemasOf(model, { idPrefix: prefix })) fastify.addSchema(schema)
  const { defaultPage, maxPage } = limits
  return (mount, endpoint) => {
    const schema = routeSchema(kindOf(endpoint), mount, { idPrefix: prefix, defaultPage, maxPage, guarded })
    return {
      schema: schema as FastifySchema & RouteSchema,
      validatorCompiler: () => () => true,
      serializerCompiler: () => (payload) => JSON.stringify(payload),
    }
  }
}

function kindOf({ operation, hasId }: Endpoint): RouteKind {
  if (operation === 'create' && hasId) return 'createWithId'
  if (operation === 'replace' && !hasId) return 'replaceWithId'
  return operation
}
