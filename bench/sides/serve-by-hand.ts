import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { isAllowed, listen } from './access.ts'
import * as bodies from './bodies.ts'

type Answer<Value> = Value | Promise<Value>

/** The queries of a service by hand: records, or their JSON. Those on SQLite answer at once. */
export interface Queries {
  find(id: number): Answer<bodies.Parent | string>
  list(limit: number, offset: number): Answer<{ rows: bodies.Parent[]; count: number } | string>
  create(body: bodies.CreateBody): Answer<{ id: number; record: bodies.Parent | string }>
  replace(id: number, body: bodies.ReplaceBody): Answer<bodies.Parent | string>
  patch(id: number, body: bodies.PatchBody): Answer<bodies.Parent | string>
  /** Fastify sends null as an answer without a body. */
  remove(id: number): Answer<null>
}

type ById = { Params: { id: string } }
type Page = { Querystring: { limit?: string; offset?: string } }

const params = Type.Object({ id: Type.String({ pattern: '^(?:0|[1-9][0-9]*)$' }) })
const limit = Type.String({ pattern: '^(?:[1-9][0-9]?|100)$' })
const offset = Type.String({ pattern: '^(?:0|[1-9][0-9]{0,14})$' })
const querystring = Type.Partial(Type.Object({ limit, offset }), { additionalProperties: false })
const page = Type.Object({ rows: Type.Array(bodies.parent), count: Type.Integer() })
const response = { 200: bodies.parent }
const schemas = {
  find: { schema: { params, response } },
  list: { schema: { querystring, response: { 200: page } } },
  create: { schema: { body: bodies.createBody, response: { 201: bodies.parent } } },
  replace: { schema: { params, body: bodies.replaceBody, response } },
  patch: { schema: { params, body: bodies.patchBody, response } },
  remove: { schema: { params } },
}

/** What the services by hand have in common: access before anything else, strict validation, objects serialized by schema. */
export function serveByHand({ find, list, create, replace, patch, remove }: Queries): Promise<number> {
  const app = Fastify({ ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: true } } })
  app.addHook('onRequest', async (request) => {
    if (!isAllowed(request)) throw bodies.httpError(403, 'that is not allowed')
  })
  app.get<ById>('/api/parent/:id', schemas.find, ({ params }, reply) => json(reply, find(Number(params.id))))
  app.get<Page>('/api/parent', schemas.list, ({ query: { limit = '20', offset = '0' } }, reply) =>
    json(reply, list(Number(limit), Number(offset))),
  )
  app.post<{ Body: bodies.CreateBody }>('/api/parent', schemas.create, (request, reply) => {
    const answer = ({ id, record }: Awaited<ReturnType<typeof create>>) =>
      json(reply.code(201).header('location', `/api/parent/${id}`), record)
    const created = create(request.body)
    return created instanceof Promise ? created.then(answer) : answer(created)
  })
  app.put<ById & { Body: bodies.ReplaceBody }>('/api/parent/:id', schemas.replace, (request, reply) =>
    json(reply, replace(idOf(request), request.body)),
  )
  app.patch<ById & { Body: bodies.PatchBody }>('/api/parent/:id', schemas.patch, (request, reply) =>
    json(reply, patch(idOf(request), request.body)),
  )
  app.delete<ById>('/api/parent/:id', schemas.remove, ({ params }, reply) => {
    reply.code(204)
    return remove(Number(params.id))
  })
  return listen(app)
}

/** Fastify sends text with this type as it is. */
function json<Value>(reply: FastifyReply, value: Value): Value {
  reply.header('content-type', 'application/json; charset=utf-8')
  return value
}

function idOf({ params, body }: FastifyRequest<ById & { Body: { id?: number } }>): number {
  const id = Number(params.id)
  if (body.id !== undefined && body.id !== id) throw bodies.httpError(400, 'id must be the one in the path')
  return id
}
