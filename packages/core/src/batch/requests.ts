import { type BodyProblem, shortened } from '../errors.ts'
import { isText, type Kinds, oneOf, optional, required, wrongEntries } from '../model/check/entries.ts'
import { isObject } from '../model/is-object.ts'
import { lacks, pointerTo } from '../planning/body/faults.ts'

/**
 * One request of a batch.
 *
 * @example
 * const request: BatchRequest = { method: 'POST', path: '/author', body: { name: 'Emma' }, as: 'emma' }
 */
export interface BatchRequest {
  readonly method: (typeof METHODS)[number]
  /** Behind the prefix of the service. `$new.a` in place of an id: that of the record that the request `a`
   * creates. */
  readonly path: string
  /** In place of an id or a foreign key, `{ $new: 'a' }`. */
  readonly body?: unknown
  /** By what later requests name the record that this one creates. */
  readonly as?: string
  /** As the header `If-Match` of a single request. */
  readonly ifMatch?: string
  /** As the preference `max-affected` of a single request. */
  readonly maxAffected?: number
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const NAME = /^[A-Za-z0-9_-]{1,100}$/

const MEMBERS: Kinds = {
  method: oneOf(METHODS, `must be one of ${METHODS.join(', ')}`),
  path: required(
    (given) => typeof given === 'string' && given.startsWith('/'),
    "must be a text that begins with '/': the path behind the prefix of the service, such as /book/7",
  ),
  body: () => undefined,
  as: optional(
    (given) => typeof given === 'string' && NAME.test(given),
    "must be a name of 1 to 100 letters, digits, '_' and '-'",
  ),
  ifMatch: optional(isText, 'must be a text: an ETag in quotes, or *'),
  maxAffected: optional(
    (given) => Number.isSafeInteger(given) && (given as number) >= 0,
    'must be an integer from 0: how many records the request may affect at most',
  ),
}

/** The requests of a batch as a client has sent them. Adds everything that is wrong with their form to the problems. */
export function readRequests(body: unknown, most: number, problems: BodyProblem[]): readonly BatchRequest[] {
  const type = (name: string) => ({ keyword: 'type', params: { type: name } })
  if (!isObject(body)) {
    problems.push({ pointer: '', message: "must be an object with 'requests'", ...type('object') })
    return []
  }
  for (const { name, message } of wrongEntries(body, { requests: () => undefined }, 'a batch has no property'))
    problems.push(unknownMember('', name, message))
  const { requests } = body
  if (requests === undefined) problems.push(lacks('', 'requests'))
  else if (!Array.isArray(requests))
    problems.push({ pointer: '/requests', message: 'must be an array', ...type('array') })
  if (!Array.isArray(requests)) return []
  if (requests.length > most) {
    const message = `has more than ${most} requests`
    problems.push({ pointer: '/requests', message, keyword: 'maxItems', params: { limit: most } })
    return []
  }
  for (const [index, request] of requests.entries()) problems.push(...problemsOf(request, `/requests/${index}`))
  return requests
}

function problemsOf(request: unknown, pointer: string): readonly BodyProblem[] {
  if (!isObject(request)) {
    const params = { type: 'object' }
    return [{ pointer, message: "must be an object with 'method' and 'path'", keyword: 'type', params }]
  }
  const lacking = ['method', 'path'].filter((name) => request[name] === undefined)
  const wrong = wrongEntries(request, MEMBERS, 'a request of a batch has no property')
  return [
    ...lacking.map((name) => lacks(pointer, name)),
    ...wrong
      .filter(({ name }) => !lacking.includes(name))
      .map(({ name, message }) => {
        if (!Object.hasOwn(MEMBERS, name)) return unknownMember(pointer, name, message)
        return { pointer: pointerTo(pointer, name), message, keyword: 'format' }
      }),
  ]
}

function unknownMember(parent: string, name: string, message: string): BodyProblem {
  const params = { additionalProperty: shortened(name) }
  return { pointer: pointerTo(parent, name), message: shortened(message), keyword: 'additionalProperties', params }
}
