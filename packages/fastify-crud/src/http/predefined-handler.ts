import type { Mount } from '@fastify-crud/core/internal'
import { whoAsks } from '../access/who-asks.ts'
import type { Service } from '../service.ts'
import type { Endpoint } from './call.ts'
import { callReader } from './call-reader.ts'
import { answerOf } from './endpoints.ts'
import type { RouteHandler } from './route-handler.ts'
import { collectionUrl, send } from './send.ts'

/** The handler of a predefined endpoint: access, then store, then reply. */
export function predefinedHandler(service: Service, mount: Mount, endpoint: Endpoint): RouteHandler {
  const { prefix } = service
  const { link } = endpoint
  const collection = collectionUrl(prefix, mount) + (link === undefined ? '' : `/:id/${encodeURIComponent(link.name)}`)
  const reader = callReader(service, mount, endpoint)
  return async (request, reply) => {
    const asking = await whoAsks(service, request, mount.path.resource, endpoint.operation)
    const begun = await reader.begin(request, reply, asking)
    const answer = await answerOf(endpoint, reader, begun)
    return send(reply, { endpoint, call: begun.call, collection, isChanged: false }, answer)
  }
}
