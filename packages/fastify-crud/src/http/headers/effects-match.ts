import type { IncomingHttpHeaders } from 'node:http'
import type { Problem } from '@fastify-crud/core'

/** Of a preview: the tag of its effects. */
export const EFFECTS_TAG = 'effects-tag'

const TAG = /^"([\w-]{1,64})"$/

/** The tag of the effects that a write is to have; undefined: whatever it does. Adds what is wrong with the header to
 * the problems. */
export function effectsMatchOf(headers: IncomingHttpHeaders, problems: Problem[]): string | undefined {
  const header = headers['effects-match']
  if (header === undefined) return undefined
  const [, tag] = TAG.exec(String(header).trim()) ?? []
  if (tag === undefined) {
    const message = 'the header Effects-Match must be the Effects-Tag of a preview, in quotes'
    problems.push({ parameter: 'Effects-Match', message, keyword: 'format', params: { format: 'effects-tag' } })
  }
  return tag
}
