import type { Id, Problem } from '@fastify-crud/core'
import type { Address, Asked, JsonStore, Operation, Resource, WrittenRecord } from '@fastify-crud/core/internal'
import type { Mount } from '@fastify-crud/core/schema'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Action, Limits } from './options.ts'
import { bodyId, invalidRequest, pageOf, pathId, unknownKeys } from './request.ts'
import { withoutHidden } from './without-hidden.ts'

/** What an endpoint answers: JSON text, or the record that a write left; undefined: there is nothing to say. */
export type Answer = string | WrittenRecord | undefined

/** One predefined endpoint of a mount. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly operation: Operation
  readonly action: Action
  /** The path goes on with `/:id`. */
  readonly hasId: boolean
  readonly status: number
  /** The id that the request names, in its path or in the body of a PUT to a collection. */
  idOf(request: FastifyRequest, mount: Mount): Id | undefined
  answer(store: JsonStore, call: Call): Promise<Answer>
}

/** A request for an endpoint. */
export interface Call {
  readonly at: Address
  /** What the endpoint's `idOf` says. */
  readonly id: Id | undefined
  readonly request: FastifyRequest
  readonly limits: Limits
  /** On whose behalf the store is called. */
  readonly asked: Asked
}

const none = (): undefined => undefined

/** The endpoints of every resource. */
export const ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    operation: 'list',
    action: 'View',
    hasId: false,
    status: 200,
    idOf: none,
    answer: (store, { at, request, limits, asked }) => store.list(at, pageOf(request, limits), asked),
  },
  {
    method: 'GET',
    operation: 'findOne',
    action: 'View',
    hasId: true,
    status: 200,
    idOf: pathId,
    answer: (store, { at, id, asked }) => store.find(at, id as Id, asked),
  },
  {
    method: 'POST',
    operation: 'create',
    action: 'Add',
    hasId: false,
    status: 201,
    idOf: none,
    answer: (store, { at, request, asked }) => store.create(at, request.body, undefined, asked),
  },
  {
    method: 'POST',
    operation: 'create',
    action: 'Add',
    hasId: true,
    status: 201,
    idOf: pathId,
    answer: (store, { at, id, request, asked }) => store.create(at, request.body, id, asked),
  },
  {
    method: 'PUT',
    operation: 'replace',
    action: 'Edit',
    hasId: true,
    status: 200,
    idOf: pathId,
    answer: (store, { at, id, request, asked }) => store.replace(at, id, request.body, asked),
  },
  {
    method: 'PUT',
    operation: 'replace',
    action: 'Edit',
    hasId: false,
    status: 200,
    idOf: bodyId,
    answer: (store, { at, request, asked }) => store.replace(at, undefined, request.body, asked),
  },
  {
    method: 'PATCH',
    operation: 'patch',
    action: 'Edit',
    hasId: true,
    status: 200,
    idOf: pathId,
    answer: (store, { at, id, request, asked }) => store.patch(at, id as Id, request.body, asked),
  },
  {
    method: 'DELETE',
    operation: 'delete',
    action: 'Delete',
    hasId: true,
    status: 204,
    idOf: pathId,
    async answer(store, { at, id, asked }) {
      await store.delete(at, id as Id, asked)
      return undefined
    },
  },
]

/**
 * Runs a predefined endpoint. A query that it does not know is refused, together with all that is wrong with the body. The answer
 * has no records that the request may not see.
 */
export async function answerOf(endpoint: Endpoint, store: JsonStore, call: Call): Promise<Answer> {
  // A list checks its whole query at once.
  const problems = endpoint.operation === 'list' ? [] : unknownKeys(call.request)
  if (problems.length > 0) throw invalidRequest([...problems, ...bodyProblems(endpoint, store, call)])
  const answer = await endpoint.answer(store, call)
  const { hidden } = call.asked
  return hidden === undefined || answer === undefined ? answer : visible(answer, call.at.path.resource, hidden)
}

/** A record that the request may write, but not see, is answered as if the client had asked for no body. */
function visible(answer: string | WrittenRecord, resource: Resource, hidden: ReadonlySet<Resource>): Answer {
  if (typeof answer === 'string') return withoutHidden(resource, answer, hidden)
  const { id, json } = answer
  if (json === undefined) return answer
  if (hidden.has(resource)) return { id, json: undefined, isHidden: true }
  return { id, json: withoutHidden(resource, json, hidden), isHidden: false }
}

function bodyProblems({ operation, hasId }: Endpoint, store: JsonStore, call: Call): readonly Problem[] {
  const { at, id, request, asked } = call
  switch (operation) {
    case 'create':
      return store.bodyProblems(at, operation, request.body, undefined, asked)
    case 'replace':
    case 'patch':
      return store.bodyProblems(at, operation, request.body, hasId ? id : undefined, asked)
    default:
      return []
  }
}

/** Sends an answer; `collection` is the path of the collection, for `Location`. */
export function send(reply: FastifyReply, status: number, answer: Answer, collection: string): FastifyReply {
  reply.code(status)
  if (answer === undefined) return reply.send()
  if (typeof answer === 'object' && status === CREATED) {
    reply.header('location', `${filledIn(collection, reply.request)}/${answer.id}`)
  }
  const json = jsonOf(answer)
  // As a client may ask for it (RFC 7240), but here because the record is too large for an answer, or the caller may not see it.
  if (json === undefined) return reply.header('preference-applied', 'return=minimal').send()
  return reply.header('content-type', 'application/json; charset=utf-8').send(json)
}

const CREATED = 201

/** Undefined where a record that was written is too large for an answer. */
export function jsonOf(answer: string | WrittenRecord): string | undefined {
  return typeof answer === 'string' ? answer : answer.json
}

/** The path of a mount's collection as it stands in a URL, with its parameters in place of values: `/api/book/:book_id/note`. */
export function collectionUrl(prefix: string, mount: Mount): string {
  const segments = `${prefix}/${mount.url}`.split('/').filter((segment) => segment !== '')
  return `/${segments.map((segment) => (segment.startsWith(':') ? segment : encodeURIComponent(segment))).join('/')}`
}

const PARAMETER = /(?<=\/):([^/]*)/g

function filledIn(path: string, { params }: FastifyRequest): string {
  if (!path.includes(':')) return path
  return path.replaceAll(PARAMETER, (segment, name: string) => {
    const value = (params as Readonly<Record<string, unknown>>)[name]
    return encodeURIComponent(value === undefined ? segment : String(value))
  })
}
