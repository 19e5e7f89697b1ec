import { CrudError } from '@fastify-crud/core'
import type { FastifyInstance, onRequestHookHandler, RouteOptions } from 'fastify'
import { mediaTypeError } from './body/body-encoding.ts'

/** Adds a route for all methods. Throws a TypeError that says what to do if the application has the path already. */
export function addRoute(fastify: FastifyInstance, route: Omit<RouteOptions, 'method'>): void {
  try {
    fastify.route({ ...route, method: fastify.supportedMethods })
  } catch (error) {
    if (!(error instanceof Error) || !/already declared/.test(error.message)) throw error
    const taken = `'${fastify.prefix}' has the route ${fastify.prefix}${route.url} already`
    throw new TypeError(`prefix: ${taken}; give this registration another prefix`, { cause: error })
  }
}

/** Refuses what a path does not take, before the body is read: a method that it does not have, a media type other than JSON. */
export function refuseOthers(methods: readonly string[]): onRequestHookHandler {
  const allow = methods.join(', ')
  return ({ method, headers }, reply, done) => {
    if (!methods.includes(method)) {
      reply.header('allow', allow)
      const detail = `${method} is not allowed here (allowed: ${allow || 'nothing'})`
      return done(new CrudError({ code: 'CRUD_ERR_METHOD', detail, errors: [] }))
    }
    const type = headers['content-type']
    if (type === undefined || method === 'GET' || method === 'HEAD') return done()
    done(mediaTypeError(type))
  }
}
