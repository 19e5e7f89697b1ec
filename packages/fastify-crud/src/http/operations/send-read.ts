import type { FastifyReply } from 'fastify'
import { namesState } from '../headers/conditions.ts'
import type { Call } from './operation.ts'

const NOT_MODIFIED = 304

/** Sends what was read, or that the client has it already. `ownTag`: the ETag of the JSON; undefined: it has none. */
export function sendRead(
  reply: FastifyReply,
  { conditions }: Call,
  json: string | undefined,
  ownTag: string | undefined,
): FastifyReply {
  if (json === undefined) return reply.code(OK).send()
  const tag = tagOf(reply) ?? ownTag
  if (tag !== undefined) reply.header('etag', tag)
  if (namesState(conditions, { exists: true, tag })) return reply.code(NOT_MODIFIED).send()
  return sendJson(reply, OK, json)
}

const OK = 200

/** The application's own ETag, if a hook or a handler has set one. */
export function tagOf(reply: FastifyReply): string | undefined {
  const tag = reply.getHeader('etag')
  return tag === undefined ? undefined : String(tag)
}

export function sendJson(reply: FastifyReply, status: number, json: string): FastifyReply {
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(json)
}
