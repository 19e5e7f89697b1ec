import type { FastifyInstance, FastifyRequest } from 'fastify'

/** What a client must send. */
export const AUTHORIZATION = 'Bearer bench'

/** The one rule of access, the same on all sides. */
export const isAllowed = (request: FastifyRequest): boolean => request.headers.authorization === AUTHORIZATION

/** Resolves to the port. */
export async function listen(app: FastifyInstance): Promise<number> {
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
}
