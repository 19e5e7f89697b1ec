import { CrudError } from '@fastify-crud/core'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify'
import { mediaTypeError, refuseEncoded } from './body/body-encoding.ts'
import type { Endpoint } from './endpoints.ts'
import type { RouteSettings } from './route-settings.ts'

/** What one method of a path has. */
export interface PathRoute extends Pick<RouteOptions, 'handler' | 'bodyLimit'> {
  readonly config: object
  /** The application's part. */
  readonly settings?: RouteSettings | undefined
}

/**
 * Adds a path: a route for each method, HEAD beside GET, and one that refuses all other methods. Throws a TypeError
 * that says what to do if the application has the path already. `config`: of the route that refuses.
 */
export function addPath(
  fastify: FastifyInstance,
  url: string,
  routes: ReadonlyMap<Endpoint['method'], PathRoute>,
  config: object,
): void {
  const methods = [...routes.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const others = fastify.supportedMethods.filter((method) => !methods.includes(method))
  const refuse = refuseOthers(methods)
  try {
    for (const [method, route] of routes) {
      // Fastify's own HEAD would have the hooks twice that plugins add to each route.
      fastify.route({ ...routeOf(method, route), url, method, exposeHeadRoute: false })
      if (method === 'GET') fastify.route({ ...routeOf(method, route), url, method: 'HEAD' })
    }
    fastify.route({ url, method: others, onRequest: refuse, handler: refuse, config })
  } catch (error) {
    if (!(error instanceof Error) || !/already declared/.test(error.message)) throw error
    const taken = `'${fastify.prefix}' has the route ${fastify.prefix}${url} already`
    throw new TypeError(`prefix: ${taken}; give this registration another prefix`, { cause: error })
  }
}

/** New objects for each route: plugins change what they find in one. */
function routeOf(method: Endpoint['method'], { settings = {}, config, ...route }: PathRoute) {
  const { config: own, logLevel, ...hooks } = settings
  const copies = Object.entries(hooks).map(([name, given]) => [name, [given].flat()])
  const all: Record<string, unknown[]> = Object.fromEntries(copies)
  if (method !== 'GET') {
    all.onRequest = [...(all.onRequest ?? []), refuseMediaType]
    all.preParsing = [...(all.preParsing ?? []), refuseEncoded]
  }
  return { ...all, ...route, config: { ...own, ...config }, ...(logLevel && { logLevel }) }
}

/** Refuses the methods that a path does not have, before a body is read. */
function refuseOthers(methods: readonly string[]) {
  const allow = methods.join(', ')
  const allowed = allow || 'nothing'
  // `printRoutes` shows the name.
  return function methodNotAllowed({ method }: FastifyRequest, reply: FastifyReply): never {
    reply.header('allow', allow)
    const detail = `${method} is not allowed here (allowed: ${allowed})`
    throw new CrudError({ code: 'CRUD_ERR_METHOD', detail, errors: [] })
  }
}

/** Refuses a media type other than JSON, before the body is read. */
const refuseMediaType: onRequestHookHandler = ({ headers }, _reply, done) => {
  const type = headers['content-type']
  done(type === undefined ? undefined : mediaTypeError(type))
}
