import type { FastifyReply } from 'fastify'

const NAME = 'cache-control'

/**
 * An answer depends on who asks: only the caller's own client may keep it, and asks again each time whether it still holds. Stays as it is where
 * the application has said something else.
 */
export function keepPrivate(reply: FastifyReply): FastifyReply {
  return reply.hasHeader(NAME) ? reply : reply.header(NAME, 'private, no-cache')
}
