import type { FastifyRequest } from 'fastify'

/** What a client must send. */
export const AUTHORIZATION = 'Bearer bench'

/** The one rule of access, the same on all sides. */
export function isAllowed(request: FastifyRequest): boolean {
  return request.headers.authorization === AUTHORIZATION
}
