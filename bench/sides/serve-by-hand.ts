import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { PageName } from '../src/works.ts'
import { isAllowed, listen } from './access.ts'
import * as bodies from './bodies.ts'

type Answer<Value> = Value | Promise<Value>
type FoundRecord = Answer<bodies.Parent | string | undefined>
type FoundPage = Answer<{ rows: object[]; count?: number; next?: string | undefined } | string>

/** The queries of a service by hand: records, or their JSON; undefined if there is none. Those on SQLite answer at once. */
export interface Queries {
  find(id: number): FoundRecord
  list(limit: number, offset: number): FoundPage
  /** Each takes the number that its page depends on. */
  pages: Readonly<Record<PageName, (number: number) => FoundPage>>
  create(body: bodies.CreateBody): Answer<{ id: number; record: bodies.Parent | string }>
  replace(id: number, body: bodies.SplitBody): FoundRecord
  patch(id: number, body: bodies.PatchBody): FoundRecord
  /** Returns how many there were. */
  remove(id: number): Answer<number>
}

type ById = { Params: { id: string } }
type Page = { Querystring: { limit?: string; offset?: string } }

const params = Type.Object({ id: Type.String({ pattern: '^(?:0|[1-9][0-9]*)$' }) })
const limit = Type.String({ pattern: '^(?:[1-9][0-9]?|100)$' })
const offset = Type.String({ pattern: '^(?:0|[1-9][0-9]{0,14})$' })
const querystring = Type.Partial(Type.Object({ limit, offset }), { additionalProperties: false })
const from = Type.Object({ from: Type.String({ pattern: '^[0-9]{1,15}$' }) }, { additionalProperties: false })
const rows = Type.Array(Type.Partial(bodies.parent))
const page = Type.Object({ rows, count: Type.Optional(Type.Integer()), next: Type.Optional(Type.String()) })
const response = { 200: bodies.parent }
const schemas = {
  find: { schema: { params, response } },
  list: { schema: { querystring, response: { 200: page } } },
  create: { schema: { body: bodies.createBody, response: { 201: bodies.parent } } },
  replace: { schema: { params, body: bodies.replaceBody, response } },
  page: { schema: { querystring: from, response: { 200: page } } },
  patch: { schema: { params, body: bodies.patchBody, response } },
  remove: { schema: { params } },
}

/** What the services by hand have in common: access before anything else, strict validation, objects serialized by schema. */
export function serveByHand({ find, list, pages, create, replace, patch, remove }: Queries): Promise<number> {
  const app = Fastify({ ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: true } } })
  app.addHook('onRequest', async (request) => {
    if (!isAllowed(request)) throw bodies.httpError(403, 'that is not allowed')
  })
  app.get<ById>('/api/parent/:id', schemas.find, async ({ params }, reply) =>
    json(reply, await find(Number(params.id))),
  )
  app.get<Page>('/api/parent', schemas.list, async ({ query: { limit = '20', offset = '0' } }, reply) =>
    json(reply, await list(Number(limit), Number(offset))),
  )
  for (const [name, page] of Object.entries(pages)) {
    app.get<{ Querystring: { from: string } }>(`/api/${name}`, schemas.page, async ({ query }, reply) =>
      json(reply, await page(Number(query.from))),
    )
  }
  app.post<{ Body: bodies.CreateBody }>('/api/parent', schemas.create, async ({ body }, reply) => {
    const { id, record } = await create(body)
    return json(reply.code(201).header('location', `/api/parent/${id}`), record)
  })
  app.put<ById & { Body: bodies.ReplaceBody }>('/api/parent/:id', schemas.replace, async (request, reply) =>
    json(reply, await replace(idOf(request), bodies.splitChildren(request.body))),
  )
  app.patch<ById & { Body: bodies.PatchBody }>('/api/parent/:id', schemas.patch, async (request, reply) =>
    json(reply, await patch(idOf(request), request.body)),
  )
  app.delete<ById>('/api/parent/:id', schemas.remove, async ({ params }, reply) => {
    if ((await remove(Number(params.id))) === 0) throw noRecord()
    return reply.code(204).send()
  })
  return listen(app)
}

/** Fastify sends text with this type as it is. */
function json<Value>(reply: FastifyReply, value: Value | undefined): Value {
  if (value === undefined) throw noRecord()
  reply.header('content-type', 'application/json; charset=utf-8')
  return value
}

const noRecord = () => bodies.httpError(404, 'there is no such parent')

function idOf({ params, body }: FastifyRequest<ById & { Body: { id?: number } }>): number {
  const id = Number(params.id)
  if (body.id !== undefined && body.id !== id) throw bodies.httpError(400, 'id must be the one in the path')
  return id
}
