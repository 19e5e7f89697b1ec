import type { IncomingHttpHeaders } from 'node:http'
import type { Problem, Refusal } from '@fastify-crud/core'
import { preconditionFailed } from '@fastify-crud/core/internal'

/** What a request asks of the state of its record (RFC 9110, 13). Undefined: nothing. */
export interface Conditions {
  readonly ifMatch: Tags | undefined
  readonly ifNoneMatch: Tags | undefined
}

/** Tags as headers have them, quotes included; `'*'` matches any record. */
type Tags = '*' | readonly string[]

/** The state of a record. A record that is too large for an answer, and a list, have no tag. */
interface State {
  readonly exists: boolean
  readonly tag: string | undefined
}

export const NO_CONDITIONS: Conditions = { ifMatch: undefined, ifNoneMatch: undefined }

/** Reads the headers. Adds what is wrong with them to the problems. */
export function conditionsOf(headers: IncomingHttpHeaders, problems: Problem[]): Conditions {
  const ifMatch = headers['if-match']
  const ifNoneMatch = headers['if-none-match']
  if (ifMatch === undefined && ifNoneMatch === undefined) return NO_CONDITIONS
  return {
    ifMatch: readTags('If-Match', ifMatch, problems),
    ifNoneMatch: readTags('If-None-Match', ifNoneMatch, problems),
  }
}

/** One tag of a list, or an empty element, and what separates it from the next. */
const ELEMENT = /(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,[ \t]*|$)/y

function readTags(name: string, header: string | undefined, problems: Problem[]): Tags | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  if (text === '*') return '*'
  const tags: string[] = []
  ELEMENT.lastIndex = 0
  while (ELEMENT.lastIndex < text.length) {
    const found = ELEMENT.exec(text)
    if (found === null) break
    if (found[1] !== undefined) tags.push(found[1])
    if (ELEMENT.lastIndex === text.length && tags.length > 0) return tags
  }
  const message = `the header ${name} must be * or a list of ETags in quotes, such as "a1"`
  problems.push({ parameter: name, message, keyword: 'format', params: { format: 'etags' } })
  return undefined
}

/** Why a request is not carried out on a record in that state; undefined if `If-Match` allows it. */
export function refusalOfMatch({ ifMatch }: Conditions, { exists, tag }: State): Refusal | undefined {
  if (ifMatch === undefined) return undefined
  const matches = ifMatch === '*' ? exists : tag !== undefined && !isWeak(tag) && ifMatch.includes(tag)
  if (matches) return undefined
  const detail = exists
    ? 'If-Match has no ETag of the current record: read it again'
    : 'there is no record for If-Match to match'
  return preconditionFailed(detail)
}

/** Why a write is not carried out on a record in that state. */
export function refusalOfWrite(conditions: Conditions, state: State): Refusal | undefined {
  const refusal = refusalOfMatch(conditions, state)
  if (refusal !== undefined || !namesState(conditions, state)) return refusal
  return preconditionFailed('If-None-Match has the ETag of the current record')
}

/** Whether the state is one that `If-None-Match` names, so that a client has it already. Weak tags are as good as
 * strong ones here. */
export function namesState({ ifNoneMatch }: Conditions, { exists, tag }: State): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === '*') return exists
  return tag !== undefined && ifNoneMatch.some((other) => opaque(other) === opaque(tag))
}

function isWeak(tag: string): boolean {
  return tag.startsWith('W/')
}

function opaque(tag: string): string {
  return isWeak(tag) ? tag.slice(2) : tag
}
