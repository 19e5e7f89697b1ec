import { CrudError, type Model } from '@fastify-crud/core'
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify'
import { type Documentation, documentationOf } from './documentation.ts'
import { ENDPOINTS, type Endpoint } from './endpoints.ts'
import { predefinedHandler, replacedHandler, type Service } from './handlers.ts'
import { type Mount, mountsOf } from './mounts.ts'
import type { Handlers } from './options.ts'

/** Registers the routes of every resource of a model. */
export function addRoutes(fastify: FastifyInstance, model: Model, service: Service, handlers: Handlers): void {
  const documentation = documentationOf(fastify, model, service.limits, service.authorize !== undefined)
  for (const mount of mountsOf(model)) {
    for (const hasId of [false, true]) {
      const url = hasId ? `${mount.url}/:id` : mount.url
      const endpoints = ENDPOINTS.filter((endpoint) => endpoint.hasId === hasId)
      for (const endpoint of endpoints) addEndpoint(fastify, url, mount, endpoint, service, handlers, documentation)
      refuseOtherMethods(fastify, url, endpoints)
    }
  }
}

function addEndpoint(
  fastify: FastifyInstance,
  url: string,
  mount: Mount,
  endpoint: Endpoint,
  service: Service,
  handlers: Handlers,
  documentation: Documentation,
): void {
  const { key } = mount.place.resource
  const own = Object.hasOwn(handlers, key) ? handlers[key] : undefined
  const replaced = own?.[endpoint.operation]
  const param = replaced?.access.id
  if (param !== undefined && param !== 'id' && !mount.ownerParams.includes(param)) {
    throw new TypeError(`handlers.${key}.${endpoint.operation}.access.id: the path ${url} has no parameter '${param}'`)
  }
  fastify.route({
    method: endpoint.method,
    url,
    bodyLimit: service.limits.maxBody,
    ...documentation(mount, endpoint),
    ...(endpoint.method === 'GET' ? { exposeHeadRoute: true } : { onRequest: refuseOtherMediaTypes }),
    handler:
      replaced === undefined
        ? predefinedHandler(service, mount, endpoint)
        : replacedHandler(service, mount, endpoint, replaced),
  })
}

/** Whatever the application parses elsewhere: a body here is JSON. */
async function refuseOtherMediaTypes(request: FastifyRequest): Promise<void> {
  const type = request.headers['content-type']
  if (type === undefined || /^application\/json\s*(?:;|$)/i.test(type.trim())) return
  throw Object.assign(new Error(`a body must be application/json, not ${type}`), { statusCode: 415 })
}

/** A method that a path does not have is 405, whatever its body. */
function refuseOtherMethods(fastify: FastifyInstance, url: string, endpoints: readonly Endpoint[]): void {
  const allowed = new Set(endpoints.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [String(method)])))
  const others = fastify.supportedMethods.filter((method) => !allowed.has(method)) as HTTPMethods[]
  const allow = [...allowed].join(', ')
  fastify.route({
    method: others,
    url,
    schema: { hide: true } as object,
    onRequest: async (request, reply) => {
      reply.header('allow', allow)
      throw new CrudError({
        code: 'CRUD_ERR_METHOD',
        detail: `${request.method} is not possible here; ${allow} are`,
        errors: [],
      })
    },
    handler: async () => undefined,
  })
}
