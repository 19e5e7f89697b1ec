import type { DatabaseStores, GuardedStore, RuleLog } from '@fastify-crud/core'
import { hasHistory, PathTable, type Stores, storeOfDatabases, storeOver, storesOf } from '@fastify-crud/core/internal'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest, RegisterOptions } from 'fastify'
import fp from 'fastify-plugin'
import { decorateRequests } from './access/request-store.ts'
import { addChangeRoutes } from './changes/change-routes.ts'
import { ChangeStreams } from './changes/change-streams.ts'
import { changesOptions } from './changes/changes-options.ts'
import { checkHandlers, checkLimits, checkOptions, checkRoutes } from './check-options.ts'
import { checkAtFirstUse, checkTablesAtStart } from './check-tables.ts'
import type { CrudPlugin } from './crud-register.ts'
import { DatabasesInUse } from './databases/databases-in-use.ts'
import { isDatabases } from './databases/databases-options.ts'
import { addModelRoute, describedService, modelHash } from './describe/model-route.ts'
import { documentRoutes, RoutesOfDocument } from './document/documentation.ts'
import { addJsonParser } from './http/body/body-encoding.ts'
import { addBatchRoute, type BatchRoute } from './http/operations/batch.ts'
import { nothingAt, problemSender, sendProblem } from './http/problems.ts'
import { addRoutes } from './http/routes.ts'
import { logAtStart } from './log-at-start.ts'
import { type CrudOptions, DEFAULT_DECORATOR, DEFAULT_PREFIX } from './options.ts'
import { replicaOf } from './replica/replica.ts'

const plugin: FastifyPluginAsync<CrudOptions & RegisterOptions> = async (fastify, options) => {
  checkOptions(options)
  const limits = checkLimits(options.limits)
  const { defaultPage: _page, maxPage: _pages, maxBody: _body, maxDatabases, ...ofStore } = limits
  const db = isDatabases(options.db) ? options.db.model : options.db
  const { resources, policies, session, rules, actions, errors, historyOf } = options
  const logOf = (requestContext: unknown): RuleLog =>
    (requestContext as { readonly request?: FastifyRequest } | undefined)?.request?.log ?? fastify.log
  const stores = storesOf({
    db,
    resources,
    limits: ofStore,
    policies,
    session,
    rules,
    actions,
    errors,
    historyOf,
    logOf,
  })
  if (stores.asksForCaller && options.caller === undefined) {
    throw new TypeError(
      'caller: is missing; policies, session, computed fields or the access of fields need to know the caller',
    )
  }
  const replica = options.replica && replicaOf(stores, db, options.replica)
  const databases = isDatabases(options.db)
    ? new DatabasesInUse(stores, {
        ...options.db,
        most: maxDatabases,
        log: fastify.log,
        check: (database, request) => checkAtFirstUse(database, options.tables, request),
      })
    : undefined
  checkHandlers(options.handlers ?? {}, options.resources, stores.actions)
  const streams = changeStreams(fastify, options.changes, stores)
  checkRoutes(options.routes ?? {}, options.resources, stores.actions, streams !== undefined)
  const { decorator = DEFAULT_DECORATOR, prefix = DEFAULT_PREFIX, logLevel, logSerializers } = options
  const { caller, tenant, authorize } = options
  const described = options.describe === false ? undefined : describedService(stores, limits, options)
  const hash = described && modelHash(described)
  const service = { db, stores, limits, prefix, caller, tenant, authorize, modelHash: hash, replica, databases }
  if (decorator !== false) {
    decorate(fastify, decorator, databases ? storeOfDatabases(stores) : storeOver(stores))
    decorateRequests(fastify, decorator, service)
  }
  logAtStart(fastify, options, db, stores.model)
  for (const text of stores.textsOverDeleted) fastify.log.warn(`fastify-crud: ${text}`)
  checkTablesAtStart(fastify, db, stores.model, options.tables)
  checkAtStart(fastify, stores)
  if (stores.hasRules || stores.actions.size > 0) waitAtClose(fastify, databases ?? stores)
  const serve = async (scope: FastifyInstance): Promise<void> => {
    const send = hash === undefined ? sendProblem : problemSender(hash)
    scope.setErrorHandler(send)
    answerUnknownPaths(scope, send)
    addJsonParser(scope)
    if (caller !== undefined || authorize !== undefined || databases !== undefined) keepPrivate(scope)
    const scoped = { ...service, prefix: scope.prefix }
    const documented = new RoutesOfDocument(scope.prefix)
    const config = documentRoutes(scope, { ...options, resources: stores.model }, scoped, documented)
    const batch = options.batch === true ? new PathTable<BatchRoute>() : undefined
    addRoutes(scope, scoped, options, { config, batch, documented })
    if (streams !== undefined) addChangeRoutes(scope, scoped, streams, options, { config, documented })
    if (batch !== undefined) addBatchRoute(scope, scoped, batch, config)
    if (described !== undefined && hash !== undefined) {
      addModelRoute(scope, { ...scoped, modelHash: hash }, described, config)
    }
  }
  await fastify.register(serve, {
    prefix,
    ...(logLevel !== undefined && { logLevel }),
    ...(logSerializers !== undefined && { logSerializers }),
  })
}

/** Undefined: nobody is told of changes as they happen. */
function changeStreams(
  fastify: FastifyInstance,
  given: CrudOptions['changes'],
  { model, system }: Stores,
): ChangeStreams | undefined {
  const options = changesOptions(given)
  if (options === undefined) return undefined
  if (!hasHistory(model)) throw new TypeError('changes: no resource keeps a history; say history: true where one does')
  // Fails where the writes of the database cannot be followed.
  system.feed()
  const streams = new ChangeStreams(options, fastify.log)
  fastify.addHook('preClose', async () => streams.end())
  return streams
}

/**
 * What rules and actions do after a commit may need what the application closes, such as its database. So it is waited
 * for before anything is closed, and again when the last requests are done.
 */
function waitAtClose(fastify: FastifyInstance, stores: Pick<Stores, 'settled'>): void {
  fastify.addHook('preClose', () => stores.settled())
  fastify.addHook('onClose', () => stores.settled())
}

/** A name is also taken if an outer instance has it. TypeScript gives a name the same type on all instances. */
function decorate(fastify: FastifyInstance, name: string, store: GuardedStore | DatabaseStores): void {
  if (name in fastify) {
    const advice = "give this store another name, such as decorator: 'shop', or none: decorator: false"
    throw new TypeError(`decorator: the Fastify instance has '${name}' already; ${advice}`)
  }
  fastify.decorate(name, store)
}

/** The prefixes of a server whose unknown paths are answered already. Fastify takes one such handler for each
 * prefix. */
const answeredPrefixes = new WeakMap<object, Set<string>>()

/** Answers paths below the prefix that no route has. Without a prefix these are the application's own affair. */
function answerUnknownPaths(scope: FastifyInstance, send: typeof sendProblem): void {
  const prefixes = answeredPrefixes.get(scope.server) ?? new Set()
  answeredPrefixes.set(scope.server, prefixes)
  if (scope.prefix === '' || scope.prefix === '/' || prefixes.has(scope.prefix)) return
  prefixes.add(scope.prefix)
  scope.setNotFoundHandler((request, reply) => send(nothingAt(request.url), request, reply))
}

const registered = fp(plugin, { name: 'fastify-crud', fastify: '5.x' })

/**
 * The Fastify plugin: a complete REST service from resource descriptors, and the typed store on the instance.
 *
 * Goes in: the options, see {@link CrudOptions}. The start fails with a TypeError that names the option that is wrong.
 *
 * @example
 * const app = Fastify()
 * await app.register(crudPlugin, { db, resources })
 * await app.crud.publisher.create({ name: 'Four' })
 */
export const crudPlugin: CrudPlugin = Object.assign(registered, { plugin: 'fastify-crud' } as const)

/**
 * Fails the start with all that the database finds wrong with policies and computed expressions. A database that cannot
 * be asked does not: it may be there later.
 */
function checkAtStart(fastify: FastifyInstance, stores: Stores): void {
  fastify.addHook('onReady', async () => {
    const problems = await stores.problemsAtStart().catch((error: unknown) => {
      fastify.log.error({ err: error }, 'fastify-crud: policies and computed fields could not be checked')
      return []
    })
    if (problems.length > 0) throw new TypeError(problems.join('\n'))
  })
}

/** An answer depends on who asks: only the caller's own client may keep it, and asks again each time whether it still
 * holds. */
const PRIVATE = 'private, no-cache'

/**
 * Has all answers of the routes carry `Cache-Control`, unless the application says something else of one: also those
 * that a hook of the application gives, which no operation sees.
 */
function keepPrivate(scope: FastifyInstance): void {
  scope.addHook('onSend', (_request, reply, payload, done) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', PRIVATE)
    done(null, payload)
  })
}
