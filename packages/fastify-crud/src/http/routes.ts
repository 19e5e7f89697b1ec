import type { Model } from '@fastify-crud/core'
import { isPredefined, type Operation, serves } from '@fastify-crud/core/internal'
import { type Mount, mountsOf } from '@fastify-crud/core/schema'
import type { FastifyInstance } from 'fastify'
import type { RouteConfig } from '../document/documentation.ts'
import type { Service } from '../service.ts'
import { addRoute, refuseOthers } from './add-route.ts'
import { refuseEncoded } from './body/body-encoding.ts'
import { answersPage, type Endpoint, type Suffix } from './call.ts'
import { ENDPOINTS } from './endpoints.ts'
import { linkEndpoints } from './link-endpoints.ts'
import { isPassedBy, refusingOtherWays } from './other-ways.ts'
import { predefinedHandler } from './predefined-handler.ts'
import type { Handlers, ReplacedEndpoint } from './replaced-endpoint.ts'
import { replacedHandler } from './replaced-handler.ts'
import type { RouteHandler } from './route-handler.ts'

/**
 * Registers one route for each path of a model. It takes all methods: with a route for each method, a server of a thousand
 * resources would take long to start.
 */
export function addRoutes(
  fastify: FastifyInstance,
  model: Model,
  service: Service,
  handlers: Handlers,
  config: RouteConfig,
): void {
  for (const mount of mountsOf(model)) {
    const { hasGroups } = mount.path.resource
    for (const { suffix, endpoints } of [...PATHS, ...pathsOf(linkEndpoints(mount))]) {
      if (suffix === GROUPS && !hasGroups) continue
      const url = `${mount.url}${suffix}`
      const byMethod = new Map<string, RouteHandler>()
      for (const endpoint of endpoints) {
        if (!serves(mount.path.resource, endpoint.operation)) continue
        const handler = handlerOf(service, mount, endpoint, handlers, url)
        if (handler === undefined) continue
        byMethod.set(endpoint.method, handler)
        if (endpoint.method === 'GET') byMethod.set('HEAD', handler)
      }
      // Where the list is replaced, there are no groups, and the path is no record's either. The same holds for links.
      if (byMethod.size === 0 && (suffix === '' || suffix === '/:id')) continue
      addRoute(fastify, {
        url,
        bodyLimit: service.limits.maxBody,
        onRequest: refuseOthers([...byMethod.keys()]),
        preParsing: refuseEncoded,
        handler: service.databases?.during(handlerByMethod(byMethod)) ?? handlerByMethod(byMethod),
        config,
      })
    }
  }
}

const GROUPS: Suffix = '/$group'

/** Endpoints with what their paths go on with. */
interface EndpointsOfPath {
  readonly suffix: Suffix
  readonly endpoints: readonly Endpoint[]
}

function pathsOf(endpoints: readonly Endpoint[]): readonly EndpointsOfPath[] {
  const suffixes = [...new Set(endpoints.map(({ suffix }) => suffix))]
  return suffixes.map((suffix) => ({ suffix, endpoints: endpoints.filter((one) => one.suffix === suffix) }))
}

/** The paths of a collection and of its records. */
const PATHS = pathsOf(ENDPOINTS)

function replacedIn(handlers: Handlers, key: string | undefined, operation: Operation): ReplacedEndpoint | undefined {
  return key !== undefined && Object.hasOwn(handlers, key) ? handlers[key]?.[operation] : undefined
}

function handlerByMethod(byMethod: ReadonlyMap<string, RouteHandler>): RouteHandler {
  return (request, reply) => {
    const found = byMethod.get(request.method)
    if (found === undefined) throw new Error(`${request.method} should have been refused`)
    return found(request, reply)
  }
}

/** Undefined where there is none. */
function handlerOf(
  service: Service,
  mount: Mount,
  endpoint: Endpoint,
  handlers: Handlers,
  url: string,
): RouteHandler | undefined {
  const { key } = mount.path.resource
  const { link } = endpoint
  const replaced = replacedIn(handlers, key, endpoint.operation)
  if (link !== undefined) {
    // A page of related records is another way to the record, and to the list of these.
    const isListed = answersPage(endpoint) && replacedIn(handlers, link.target.key, 'list') !== undefined
    if (isListed) return undefined
    if (replaced === undefined) return predefinedHandler(service, mount, endpoint)
    return replaced.also?.includes('link') ? replacedHandler(service, mount, endpoint, replaced) : undefined
  }
  const param = replaced?.access.id
  const namesOwner = param !== undefined && param !== 'id' && !mount.path.isTopLevel
  if (namesOwner && !mount.owners.some((owner) => owner.param === param)) {
    throw new TypeError(`handlers.${key}.${endpoint.operation}.access.id: the path ${url} has no parameter '${param}'`)
  }
  const { operation, suffix } = endpoint
  if (replaced !== undefined && (suffix === GROUPS || isPassedBy(replaced, mount, endpoint))) return undefined
  if (replaced === undefined && !isPredefined(mount.path.resource, operation, suffix === '/:id')) return undefined
  const handler =
    replaced === undefined
      ? predefinedHandler(service, mount, endpoint)
      : replacedHandler(service, mount, endpoint, replaced)
  const create = replacedIn(handlers, key, 'create')
  const isAlone = replaced === undefined && create === undefined
  return isAlone ? handler : refusingOtherWays(handler, endpoint, { itself: replaced, create })
}
