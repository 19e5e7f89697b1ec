import type { FastifyInstance, RouteOptions } from 'fastify'

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
