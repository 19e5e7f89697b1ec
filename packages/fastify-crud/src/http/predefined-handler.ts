import { andThen, type Mount } from '@fastify-crud/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Asking, askerOf } from '../access/who-asks.ts'
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
  const whoAsks = askerOf(service, mount.path.resource, endpoint.operation)
  const answer = (request: FastifyRequest, reply: FastifyReply, asking: Asking) =>
    andThen(reader.begin(request, reply, asking), (begun) =>
      andThen(answerOf(endpoint, reader, begun), (answer) =>
        send(reply, { endpoint, call: begun.call, collection, isChanged: false }, answer),
      ),
    )
  return (request, reply) => {
    const sent = andThen(whoAsks(request), (asking) => answer(request, reply, asking))
    return sent instanceof Promise ? sent : undefined
  }
}
