import type { FastifyInstance } from 'fastify'

/** An answer depends on who asks: only the caller's own client may keep it, and asks again each time whether it still holds. */
const PRIVATE = 'private, no-cache'

/** Has all answers of the routes carry `Cache-Control`, unless the application says something else of one. */
export function keepPrivate(scope: FastifyInstance): void {
  scope.addHook('onSend', (_request, reply, payload, done) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', PRIVATE)
    done(null, payload)
  })
}
