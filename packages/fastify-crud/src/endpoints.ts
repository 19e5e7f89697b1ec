import type { Address, JsonStore } from '@fastify-crud/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Mount } from './mounts.ts'
import type { Action, Limits, Operation } from './options.ts'
import { bodyId, pageOf, pathId } from './request.ts'

/** What an endpoint answers: a status, and JSON text unless there is nothing to say. */
export interface Answer {
  readonly status: number
  readonly json?: string
  /** The record that was created. */
  readonly createdId?: number
}

/** One predefined endpoint of a mount. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly operation: Operation
  readonly action: Action
  /** The path goes on with `/:id`. */
  readonly hasId: boolean
  /** The record that the request is about; undefined for operations on no single record. */
  idOf(request: FastifyRequest): number | undefined
  answer(store: JsonStore, at: Address, request: FastifyRequest, limits: Limits): Promise<Answer>
}

const none = (): undefined => undefined
const fromPath = (request: FastifyRequest): number => pathId(request, 'id')

/** The endpoints of every resource. */
export const ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    operation: 'list',
    action: 'View',
    hasId: false,
    idOf: none,
    async answer(store, at, request, limits) {
      return { status: 200, json: await store.list(at, pageOf(request, limits)) }
    },
  },
  {
    method: 'GET',
    operation: 'findOne',
    action: 'View',
    hasId: true,
    idOf: fromPath,
    async answer(store, at, request) {
      return { status: 200, json: await store.find(at, fromPath(request)) }
    },
  },
  {
    method: 'POST',
    operation: 'create',
    action: 'Add',
    hasId: false,
    idOf: none,
    async answer(store, at, request) {
      const { id, json } = await store.create(at, request.body)
      return { status: 201, json, createdId: id }
    },
  },
  {
    method: 'POST',
    operation: 'create',
    action: 'Add',
    hasId: true,
    idOf: none,
    async answer(store, at, request) {
      const { id, json } = await store.create(at, request.body, fromPath(request))
      return { status: 201, json, createdId: id }
    },
  },
  {
    method: 'PUT',
    operation: 'replace',
    action: 'Edit',
    hasId: true,
    idOf: fromPath,
    async answer(store, at, request) {
      return { status: 200, json: await store.replace(at, fromPath(request), request.body) }
    },
  },
  {
    method: 'PUT',
    operation: 'replace',
    action: 'Edit',
    hasId: false,
    idOf: bodyId,
    async answer(store, at, request) {
      return { status: 200, json: await store.replace(at, undefined, request.body) }
    },
  },
  {
    method: 'PATCH',
    operation: 'patch',
    action: 'Edit',
    hasId: true,
    idOf: fromPath,
    async answer(store, at, request) {
      return { status: 200, json: await store.patch(at, fromPath(request), request.body) }
    },
  },
  {
    method: 'DELETE',
    operation: 'delete',
    action: 'Delete',
    hasId: true,
    idOf: fromPath,
    async answer(store, at, request) {
      await store.delete(at, fromPath(request))
      return { status: 204 }
    },
  },
]

/** Sends an answer; `collection` is the path of the collection, for `Location`. */
export function send(reply: FastifyReply, answer: Answer, collection: string): FastifyReply {
  reply.code(answer.status)
  if (answer.createdId !== undefined)
    reply.header('location', `${filledIn(collection, reply.request)}/${answer.createdId}`)
  if (answer.json === undefined) return reply.send()
  return reply.header('content-type', 'application/json; charset=utf-8').send(answer.json)
}

/** The path of a mount's collection as it stands in a URL, with its parameters in place of values: `/api/book/:book_id/note`. */
export function collectionPath(prefix: string, mount: Mount): string {
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
