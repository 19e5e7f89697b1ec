import { idInPath, type Mount } from '@fastify-crud/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Answer, isMany, jsonOf } from './answer.ts'
import { answersPage, type Call, type Endpoint } from './call.ts'
import { namesState } from './headers/conditions.ts'
import { tagOfAnswer } from './headers/etag.ts'
import { nextLink } from './headers/next-link.ts'
import { appliedPreferences, NO_PREFERENCES, type Preferences } from './headers/prefer.ts'

/** Which request is answered, and by whom. */
interface Sending {
  readonly endpoint: Endpoint
  readonly call: Call
  /** The path of the collection or page, for `Location` and `Link`. */
  readonly collection: string
  /** A handler has changed what the predefined endpoint answered. */
  readonly isChanged: boolean
}

/** Sends an answer. */
export function send(
  reply: FastifyReply,
  { endpoint, call, collection, isChanged }: Sending,
  answer: Answer,
): FastifyReply {
  const { action } = endpoint
  const firstStatus = typeof answer === 'object' && 'firstStatus' in answer ? answer.firstStatus : undefined
  const status = firstStatus ?? statusOf(endpoint, answer)
  const { preferences, conditions } = call
  const isRead = action === 'View'
  const isLeftOut = !isRead && preferences.returns === 'minimal'
  const json = isLeftOut ? undefined : jsonOf(answer)
  if (!isRead) {
    const body = json !== undefined ? 'record' : endpoint.status === NO_CONTENT ? 'none' : 'left out'
    sayApplied(reply, preferences, body)
  }
  // What is undone at the end has no place.
  if (typeof answer === 'object' && 'id' in answer && status === CREATED && preferences.tx !== 'rollback') {
    const id = idInPath(call.at.path, answer.id)
    reply.header('location', `${filledIn(collection, reply.request)}/${encodeURIComponent(id)}`)
  }
  const isEmpty = isLeftOut && firstStatus === undefined && status === OK
  if (json === undefined) return reply.code(isEmpty ? NO_CONTENT : status).send()
  const next = answersPage(endpoint)
    ? nextLink(filledIn(collection, reply.request), reply.request.url, json)
    : undefined
  if (next !== undefined) addLink(reply, next)
  const tag = tagOf(reply) ?? (isChanged || isMany(answer) ? undefined : tagOfAnswer(endpoint, call, json))
  if (tag !== undefined) reply.header('etag', tag)
  if (isRead && namesState(conditions, { exists: true, tag })) return reply.code(NOT_MODIFIED).send()
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(json)
}

const OK = 200
const CREATED = 201
const NO_CONTENT = 204
const NOT_MODIFIED = 304

/** A PUT by unique values may create the record. */
function statusOf({ status }: Endpoint, answer: Answer): number {
  return typeof answer === 'object' && 'isNew' in answer && answer.isNew ? CREATED : status
}

/** Beside those of the application. */
function addLink(reply: FastifyReply, link: string): void {
  const present = reply.getHeader('link')
  reply.header('link', present === undefined ? link : [present, link].flat().join(', '))
}

/** The application's own ETag, if a hook or a handler has set one. */
function tagOf(reply: FastifyReply): string | undefined {
  const tag = reply.getHeader('etag')
  return tag === undefined ? undefined : String(tag)
}

/** Says which of the client's preferences a write has followed. */
export function sayApplied(reply: FastifyReply, preferences: Preferences, body: 'record' | 'left out' | 'none'): void {
  const applied = appliedPreferences(preferences, body)
  if (applied === undefined) return
  reply.header('preference-applied', applied)
  if (preferences !== NO_PREFERENCES) vary(reply, 'Prefer')
}

function vary(reply: FastifyReply, header: string): void {
  const present = [reply.getHeader('vary') ?? []].flat().join(', ')
  const names = present.split(',').map((name) => name.trim().toLowerCase())
  if (names.includes('*') || names.includes(header.toLowerCase())) return
  reply.header('vary', present === '' ? header : `${present}, ${header}`)
}

/** The path of a mount's collection as in a URL, with its parameters in place of values: `/api/book/:book_id/note`. */
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
