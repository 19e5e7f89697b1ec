import { isPredefined, type Mount, mountsOf, serves } from '@fastify-crud/core/internal'
import type { FastifyInstance } from 'fastify'
import type { RouteConfig } from '../document/documentation.ts'
import type { CrudOptions } from '../options.ts'
import type { Service } from '../service.ts'
import { addPath, type PathRoute } from './add-path.ts'
import { answersPage, type Endpoint, type Suffix } from './call.ts'
import { ENDPOINTS } from './endpoints.ts'
import { linkEndpoints } from './link-endpoints.ts'
import { isPassedBy, refusingOtherWays } from './other-ways.ts'
import { predefinedHandler } from './predefined-handler.ts'
import type { Handlers } from './replaced-endpoint.ts'
import { replacedHandler } from './replaced-handler.ts'
import type { RouteHandler } from './route-handler.ts'
import type { CrudRouteConfig } from './route-settings.ts'

/** Registers the routes of a model, one for each method of a path. `config`: what all of them have. */
export function addRoutes(
  fastify: FastifyInstance,
  service: Service,
  { handlers = {}, routes = {} }: Pick<CrudOptions, 'handlers' | 'routes'>,
  config: RouteConfig,
): void {
  const { stores, databases } = service
  const bodyLimit = service.limits.maxBody
  for (const mount of mountsOf(stores.model)) {
    const { resource } = mount.path
    const settings = ofResource(routes, resource.key)
    for (const { suffix, endpoints } of [...PATHS, ...pathsOf(linkEndpoints(mount))]) {
      if (suffix === GROUPS && !resource.hasGroups) continue
      const url = `${mount.url}${suffix}`
      const byMethod = new Map<Endpoint['method'], PathRoute>()
      for (const endpoint of endpoints) {
        const { method, operation } = endpoint
        if (!serves(resource, operation)) continue
        const handler = handlerOf(service, mount, endpoint, handlers, url)
        if (handler === undefined) continue
        const crud: CrudRouteConfig = { resource: resource.key, operation }
        byMethod.set(method, {
          bodyLimit,
          handler: databases?.during(handler) ?? handler,
          config: { ...config, crud },
          settings: settings?.[operation],
        })
      }
      // Where the list is replaced, there are no groups, and the path is no record's either. The same holds for links.
      if (byMethod.size === 0 && (suffix === '' || suffix === '/:id')) continue
      addPath(fastify, url, byMethod, config)
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

/** What an option says of a resource. */
function ofResource<T>(option: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(option, key) ? option[key] : undefined
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
  const replaced = ofResource(handlers, key)?.[endpoint.operation]
  if (link !== undefined) {
    // A page of related records is another way to the record, and to the list of these.
    const isListed = answersPage(endpoint) && ofResource(handlers, link.target.key)?.list !== undefined
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
  const create = ofResource(handlers, key)?.create
  const isAlone = replaced === undefined && create === undefined
  return isAlone ? handler : refusingOtherWays(handler, endpoint, { itself: replaced, create })
}
