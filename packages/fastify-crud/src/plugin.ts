import { CrudError, createJsonStore } from '@fastify-crud/core'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { addJsonParser } from './body-encoding.ts'
import type { Service } from './handlers.ts'
import { logAtStart } from './log-at-start.ts'
import { type CrudOptions, checkHandlers, checkLimits, checkOptions, DEFAULT_PREFIX, type Handlers } from './options.ts'
import { sendProblem } from './problems.ts'
import { addRoutes } from './routes.ts'

const plugin: FastifyPluginAsync<CrudOptions> = async (fastify, options) => {
  checkOptions(options)
  const limits = checkLimits(options.limits)
  const { maxItems, maxDepth, maxAnswer } = limits
  const store = createJsonStore({
    db: options.db,
    resources: options.resources,
    limits: { maxItems, maxDepth, maxAnswer },
  })
  const handlers: Handlers = options.handlers ?? {}
  checkHandlers(handlers, options.resources)
  logAtStart(fastify, options)
  const serve = async (scope: FastifyInstance): Promise<void> => {
    scope.setErrorHandler(sendProblem)
    answerUnknownPaths(scope)
    addJsonParser(scope)
    const service: Service = { store, limits, prefix: scope.prefix, authorize: options.authorize }
    addRoutes(scope, options.resources, service, handlers)
  }
  // With a prefix of its own, fastify has applied it already.
  await fastify.register(serve, options.prefix === undefined ? { prefix: DEFAULT_PREFIX } : {})
}

const answered = new WeakMap<object, Set<string>>()

/** A path below the prefix that is none of ours. At the root of the server that is the application's own affair. */
function answerUnknownPaths(scope: FastifyInstance): void {
  const prefixes = answered.get(scope.server) ?? new Set()
  answered.set(scope.server, prefixes)
  if (scope.prefix === '' || scope.prefix === '/' || prefixes.has(scope.prefix)) return
  prefixes.add(scope.prefix)
  scope.setNotFoundHandler((request, reply) =>
    sendProblem(
      new CrudError({ code: 'CRUD_ERR_NOT_FOUND', detail: `there is nothing at ${request.url}`, errors: [] }),
      request,
      reply,
    ),
  )
}

/**
 * The Fastify plugin: a complete REST service from resource descriptors.
 *
 * @example
 * const app = Fastify()
 * await app.register(crudPlugin, { db, resources })
 */
export const crudPlugin: FastifyPluginAsync<CrudOptions> = fp(plugin, {
  name: 'fastify-crud',
  fastify: '5.x',
  // Its error handler and hooks are its own; and only so `prefix` takes effect.
  encapsulate: true,
})
