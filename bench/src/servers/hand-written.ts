import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { isAllowed } from './access.ts'

/** An error that becomes an answer with that status. */
export class HttpError extends Error {
  readonly statusCode: number

  constructor(statusCode: number, message: string) {
    super(message)
    this.statusCode = statusCode
  }
}

export const noRecord = (id: number): HttpError => new HttpError(404, `there is no parent ${id}`)

export const notItsChild = (): HttpError => new HttpError(400, 'a child is not one of this parent')

/** What the hand-written services have in common: strict validation, and the rule of access before anything else. */
export function handWrittenApp(): FastifyInstance {
  const app = Fastify({
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: true } },
  })
  app.addHook('onRequest', async (request) => {
    if (!isAllowed(request)) throw new HttpError(403, 'that is not allowed')
  })
  return app
}

/** Sends text that is JSON already. */
export function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(json)
}
