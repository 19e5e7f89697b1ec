import type { Id, Problem } from '@fastify-crud/core'
import type { Address, Asked, JsonStore, Link, Mount, Operation } from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import type { Action } from '../access/authorize.ts'
import type { RequestQuery } from '../query/request-query.ts'
import type { Answer } from './answer.ts'
import type { Conditions } from './headers/conditions.ts'
import type { Preferences } from './headers/prefer.ts'

/** The collection itself, one of its records, groups of them, or what a record is linked to. */
export type Suffix = '' | '/:id' | '/$group' | `/:id/${string}`

/** One predefined endpoint of a mount. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly operation: Operation
  readonly action: Action
  /** What the path of the collection goes on with. */
  readonly suffix: Suffix
  /** The link that it is about; undefined where it is about records. */
  readonly link?: Link
  readonly status: number
  /** The id that the request names, in its path or in the body of a PUT to a collection. */
  idOf(request: FastifyRequest, mount: Mount): Id | undefined
  answer(store: JsonStore, call: Call): Promise<Answer>
}

/** Whether its answer is a page: of records, of groups, or of the records that one is linked to. */
export function answersPage({ operation, action, link }: Endpoint): boolean {
  return operation === 'list' || (link !== undefined && action === 'View')
}

/** A request for an endpoint. */
export interface Call {
  readonly at: Address
  /** What the endpoint's `idOf` says. */
  readonly id: Id | undefined
  readonly request: FastifyRequest
  /** The names in the query as the request came: a handler may take some out of it. */
  readonly queryNames: readonly string[]
  readonly query: RequestQuery
  /** On whose behalf the store is called. */
  readonly asked: Asked
  readonly conditions: Conditions
  readonly preferences: Preferences
  /** What is wrong with the headers. */
  readonly headerProblems: readonly Problem[]
}
