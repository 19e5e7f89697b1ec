import type { Resource, WrittenRecord } from '@fastify-crud/core/internal'
import { withoutHidden } from '../access/without-hidden.ts'

/** What an endpoint answers: JSON text, or the record that a write left; undefined: there is nothing to say. */
export type Answer = string | WrittenRecord | undefined

/** Undefined where a record that was written is not shown. */
export function jsonOf(answer: Answer): string | undefined {
  return typeof answer === 'object' ? answer.json : answer
}

/** An answer without the records that the request may not see. A record that it may write, but not see, is not shown. */
export function visible(answer: Answer, resource: Resource, hidden: ReadonlySet<Resource>): Answer {
  if (answer === undefined) return undefined
  if (typeof answer === 'string') return withoutHidden(resource, answer, hidden)
  const { id, json } = answer
  if (json === undefined) return answer
  if (hidden.has(resource)) return { id, json: undefined, isOutOfSight: true }
  return { id, json: withoutHidden(resource, json, hidden), isOutOfSight: false }
}
