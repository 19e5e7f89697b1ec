import type { Mount, Resource, Upserted, WrittenAway, WrittenEffects, WrittenRecord } from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import { withoutHidden } from '../access/hidden-resources.ts'

/** What an endpoint answers: JSON text, or the records that a write left; undefined: there is nothing to say. */
export type Answer = string | WrittenRecord | Upserted | ManyWritten | WrittenAway | undefined

/** The records that a write of many left, or how many it was about. */
interface ManyWritten {
  readonly isMany: true
  readonly json: string | undefined
  readonly effects?: WrittenEffects | undefined
  /** Of a repeat: that of the first answer. */
  readonly firstStatus?: number | undefined
}

/** What a write does, if that is asked for. */
export function effectsIn(answer: Answer): WrittenEffects | undefined {
  return typeof answer === 'object' ? answer.effects : undefined
}

/** Whether it is about many records. */
export function isMany(answer: Answer): answer is ManyWritten {
  return typeof answer === 'object' && 'isMany' in answer
}

/** Undefined where a record that was written is not shown. */
export function jsonOf(answer: Answer): string | undefined {
  return typeof answer === 'object' ? ('json' in answer ? answer.json : undefined) : answer
}

/** An answer without the records that the request may not see. A record that it may write, but not see, is not
 * shown. */
export function withoutUnseen(answer: Answer, resource: Resource, hidden: ReadonlySet<Resource>): Answer {
  if (answer === undefined) return undefined
  if (typeof answer === 'string') return withoutHidden(resource, answer, hidden)
  if (!('json' in answer) || answer.json === undefined) return answer
  const { json } = answer
  if (isMany(answer)) return { ...answer, json: visibleRows(json, resource, hidden) }
  if (hidden.has(resource)) return { ...answer, json: undefined, isOutOfSight: true }
  return { ...answer, json: withoutHidden(resource, json, hidden) }
}

/** A count tells no more than the request has named. */
function visibleRows(json: string, resource: Resource, hidden: ReadonlySet<Resource>): string {
  if (!json.startsWith('{"rows":')) return json
  return hidden.has(resource) ? '{"rows":[]}' : withoutHidden(resource, json, hidden)
}

/** The path of a mount's collection as in a URL, with its parameters in place of values: `/api/book/:book_id/note`. */
export function collectionUrl(prefix: string, mount: Pick<Mount, 'url'>): string {
  const segments = `${prefix}/${mount.url}`.split('/').filter((segment) => segment !== '')
  return `/${segments.map((segment) => (segment.startsWith(':') ? segment : encodeURIComponent(segment))).join('/')}`
}

const PARAMETER = /(?<=\/):([^/]*)/g

/** The path of a request, with its values in place of parameters. */
export function filledIn(path: string, { params }: FastifyRequest): string {
  if (!path.includes(':')) return path
  return path.replaceAll(PARAMETER, (segment, name: string) => {
    const value = (params as Readonly<Record<string, unknown>>)[name]
    return encodeURIComponent(value === undefined ? segment : String(value))
  })
}
