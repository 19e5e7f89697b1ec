import { CrudError } from '@fastify-crud/core'
import type { Mount } from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import type { Endpoint } from './call.ts'
import { isForMany } from './many/is-of-many.ts'
import type { OtherWay, ReplacedEndpoint } from './replaced-endpoint.ts'
import type { RouteHandler } from './route-handler.ts'

/** Whether an application's handler gets no request at all of an endpoint: all of these are ways to the operation that it does not name. */
export function isPassedBy({ also = [] }: ReplacedEndpoint, mount: Mount, endpoint: Endpoint): boolean {
  if (mount.path.isTopLevel && !also.includes('topLevel')) return true
  return isForMany(endpoint) && !waysTo(endpoint).some((way) => also.includes(way))
}

function waysTo({ operation }: Endpoint): readonly OtherWay[] {
  return operation === 'delete' ? ['filter'] : ['array', 'filter']
}

/** The way of a request that its handler might not expect; undefined: the usual one. */
function wayOf(endpoint: Endpoint, { body, query }: FastifyRequest): OtherWay | undefined {
  if (endpoint.suffix !== '') return undefined
  if (Object.hasOwn(query as object, 'by') && endpoint.operation === 'replace') return 'by'
  if (Array.isArray(body)) return 'array'
  return isForMany(endpoint) ? 'filter' : undefined
}

/**
 * A handler that refuses the ways to its operation which the application's own handler does not name: they would go past it. `replaced`: what
 * the application has put in place of the operation, and of others that a request may come to.
 */
export function refusingOtherWays(
  handler: RouteHandler,
  endpoint: Endpoint,
  replaced: { readonly itself: ReplacedEndpoint | undefined; readonly create: ReplacedEndpoint | undefined },
): RouteHandler {
  const isRefused = (way: OtherWay) => {
    const asked = way === 'by' ? [replaced.itself, replaced.create] : [replaced.itself]
    return asked.some((one) => one !== undefined && !(one.also ?? []).includes(way))
  }
  return (request, reply) => {
    const way = wayOf(endpoint, request)
    if (way === undefined || !isRefused(way)) return handler(request, reply)
    reply.header('allow', '')
    const detail = `${WORDS[way]} are not allowed here: the application has a handler of its own`
    throw new CrudError({ code: 'CRUD_ERR_METHOD', detail, errors: [] })
  }
}

const WORDS: Readonly<Record<OtherWay, string>> = {
  array: 'arrays',
  filter: 'writes by a filter',
  by: 'writes by unique values',
  link: 'links',
  topLevel: 'records of all owners',
}
