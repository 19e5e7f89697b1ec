import type { Id, Problem } from '@fastify-crud/core'
import type { Address, JsonStore, Mount, Repeat } from '@fastify-crud/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '../../access/access.ts'
import type { Requester } from '../../access/who-asks.ts'
import type { Within } from '../../access/within.ts'
import type { Service } from '../../service.ts'
import type { Answer } from '../answer.ts'
import { type Conditions, namesState } from '../headers/conditions.ts'
import type { Preferences } from '../headers/prefer.ts'
import type { RouteHandler } from '../route-settings.ts'

/**
 * What one way to a route does: with one record or with many, by ids, keys or a filter. It is composed when the route
 * is registered, of the stages that the model and the options ask for, in the order of the refusals: who asks, address
 * → headers → access → query, body → conditions → store → answer.
 */
export interface RouteOperation {
  /** Whether it only reads. */
  readonly isRead: boolean
  /** Finds out who asks, and reads the path and the headers. `within`: of a request of a batch. */
  begin(request: FastifyRequest, reply: FastifyReply, within?: Within): Promise<Call>
  /** Everything that is wrong with headers, query and body, as far as they tell. */
  problems(call: Call): readonly Problem[]
  /** Asks whether the request may do it, as far as its path tells. */
  ask(call: Call): Promise<unknown>
  /**
   * Does it, if the request may. Headers and a query that it does not take are refused, together with all that is wrong
   * with the body. The answer has no records that the request may not see. `mustRead`: a write reads the record even if
   * the client does not want it.
   */
  answer(call: Call, mustRead: boolean): Promise<Answer>
  /** `isChanged`: a handler of the application has changed the answer. */
  send(reply: FastifyReply, call: Call, answer: Answer, isChanged: boolean): FastifyReply
}

/** Makes an operation for the requests to a mount. */
export type OperationMaker = (service: Service, mount: Mount, terms: OperationTerms) => RouteOperation

/** What else an operation depends on. */
export interface OperationTerms {
  /** Who is asked about access is told of the owner, whether the path names it or not. */
  readonly authorizesByOwner: boolean
}

/** A request for an operation, of which the query is not read yet. */
export interface Call {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly asking: Requester
  /** What the store is told of the request, and hands to policies and rules. */
  readonly requestContext: object
  readonly store: JsonStore
  readonly at: Address
  /** The id that the path names, or the body of a PUT to a collection. */
  readonly id: Id | undefined
  /** The id of the record that the request is about; undefined for a list, and where the record is a new one. */
  readonly recordId: Id | undefined
  /** Undefined without `authorize`: nothing is asked. */
  readonly access: Access | undefined
  /** The names in the query as the request came: a handler may take some out of it. */
  readonly queryNames: readonly string[]
  readonly conditions: Conditions
  readonly preferences: Preferences
  /** The tag of the effects that a write is to have; undefined: whatever it does. */
  readonly effectsMatch: string | undefined
  /** By what a write is known if it is sent again. */
  readonly repeat: Repeat | undefined
  /** Aborted when the client has gone; undefined where that changes nothing. */
  readonly signal: AbortSignal | undefined
  /** What is wrong with the headers. */
  readonly headerProblems: readonly Problem[]
  /** Undefined for a request that is none of a batch. */
  readonly within: Within | undefined
}

/** The names of the query that a handler has taken out of it. */
export function takenOut({ request, queryNames }: Call): readonly string[] {
  return queryNames.filter((name) => !Object.hasOwn(request.query as object, name))
}

/** Which operation a request is for. */
export type OperationOf = (request: FastifyRequest) => RouteOperation

/** The handler of a route that the application has not replaced. */
export function predefinedHandler(operationOf: OperationOf): RouteHandler {
  return async (request, reply) => {
    const operation = operationOf(request)
    const call = await operation.begin(request, reply)
    const answer = await operation.answer(call, false)
    return operation.send(reply, call, answer, false)
  }
}

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
