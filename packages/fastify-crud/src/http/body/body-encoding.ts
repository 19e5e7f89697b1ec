import { isUtf8 } from 'node:buffer'
import type { Problem } from '@fastify-crud/core'
import { markLostDigits, pointerStep, shortened } from '@fastify-crud/core/internal'
import type { FastifyBodyParser, FastifyInstance, preParsingHookHandler } from 'fastify'
import { invalidRequest } from '../request.ts'

/**
 * Parses JSON as the application's instance does, but refuses what is not UTF-8: fastify's own parser puts U+FFFD in
 * its place. An object with two values of one name is refused. A whole number that JavaScript would round is marked, so
 * that it is refused. An application that has a parser for `application/json` keeps it.
 */
export function addJsonParser(scope: FastifyInstance): void {
  const { onProtoPoisoning = 'error', onConstructorPoisoning = 'error' } = scope.initialConfig
  const parseText = scope.getDefaultJsonParser(onProtoPoisoning, onConstructorPoisoning)
  const parse: FastifyBodyParser<string> = (request, text, done) => {
    const marked = markLostDigits(text)
    parseText(request, marked?.text ?? text, (error, body) => {
      if (error !== null) return done(error, undefined)
      const repeated = repeatedName(text, body)
      if (repeated !== undefined) return done(invalidRequest([occursTwice(repeated)]))
      done(null, marked === undefined ? body : marked.unmark(body))
    })
  }
  const parseBytes: FastifyBodyParser<Buffer> = (request, body, done) => {
    // Clients that set a media type for all their requests set it for a DELETE, too.
    if (body.length === 0 && request.method === 'DELETE') done(null, undefined)
    else if (isUtf8(body)) parse(request, body.toString(), done)
    else done(invalidRequest([NOT_UTF8]))
  }
  try {
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseBytes)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'FST_ERR_CTP_ALREADY_PRESENT') throw error
  }
}

const NOT_UTF8 = { pointer: '', message: 'the body is not UTF-8', keyword: 'format', params: { format: 'utf-8' } }

function occursTwice(pointer: string): Problem {
  return { pointer, message: 'an object has this name twice', keyword: 'repeated' }
}

/** What is wrong with the media type of a body; undefined if it is JSON in UTF-8. */
export function mediaTypeError(type: string): Error | undefined {
  // Nearly every request has exactly this.
  if (type === 'application/json') return undefined
  const [media = '', ...parameters] = type.split(';')
  if (JSON_TYPE.test(media) && !parameters.some(isOtherCharset)) return undefined
  return unsupported(`a body must be application/json in UTF-8, not '${shortened(type)}'`)
}

/** With the spaces that HTTP allows. `trim` would take others, too. */
const JSON_TYPE = /^[ \t]*application\/json[ \t]*$/i

function isOtherCharset(parameter: string): boolean {
  const text = parameter.trim()
  return /^charset\s*(?:=|$)/i.test(text) && !/^charset=("?)utf-?8\1$/i.test(text)
}

/**
 * Refuses a body in a content encoding, unless a hook of the application has decoded it. Such a hook either puts
 * another stream in the place of the body, or removes the header.
 */
export const refuseEncoded: preParsingHookHandler = ({ raw }, _reply, payload, done) => {
  const encoding = raw.headers['content-encoding']
  if (encoding === undefined || payload !== raw) return done(null, payload)
  if (/^(?:identity)?$/i.test(encoding)) return done(null, payload)
  done(unsupported(`a body must not have a content-encoding, such as '${shortened(encoding)}'`))
}

function unsupported(message: string): Error {
  return Object.assign(new Error(message), { statusCode: 415 })
}

/** A string with the colon behind it, if it is a name; or one of the marks of objects and arrays. */
const TOKEN = /("[^"\\]*(?:\\[\s\S][^"\\]*)*")(\s*:)?|[[\]{},]/g

/** An object, or an array, that the text has begun. */
interface Open {
  /** Undefined for an array. */
  readonly names: Set<string> | undefined
  /** The name or the index of the value that comes now. */
  at: string | number
}

/**
 * The pointer of a name that an object of a JSON text has twice: `JSON.parse` keeps the last value without a word.
 * Undefined if there is none.
 *
 * @param body what the text was parsed to. If it has as many names as the text, which is nearly always so, no more has
 * to be read.
 */
export function repeatedName(text: string, body: unknown): string | undefined {
  return mostNamesIn(text) === namesIn(body) ? undefined : repeatedIn(text)
}

/** The colons behind a quote or a space: those of all names, and a few that stand in strings. */
function mostNamesIn(text: string): number {
  let count = 0
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    const before = text.charCodeAt(at - 1)
    if (before === QUOTE || before <= SPACE) count++
  }
  return count
}

const QUOTE = 0x22
const SPACE = 0x20

/** Does not recurse: a body may be deep. */
function namesIn(body: unknown): number {
  let count = 0
  const open = [body]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue
    const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
    if (inner !== value) count += inner.length
    for (const one of inner) if (typeof one === 'object' && one !== null) open.push(one)
  }
  return count
}

function repeatedIn(text: string): string | undefined {
  const open: Open[] = []
  for (const [token, string, colon] of text.matchAll(TOKEN)) {
    const last = open.at(-1)
    if (string !== undefined) {
      if (colon === undefined || last?.names === undefined) continue
      const name: string = string.includes('\\') ? JSON.parse(string) : string.slice(1, -1)
      last.at = name
      if (last.names.has(name)) return pointerTo(open)
      last.names.add(name)
    } else if (token === '{') open.push({ names: new Set(), at: '' })
    else if (token === '[') open.push({ names: undefined, at: 0 })
    else if (token !== ',') open.pop()
    else if (typeof last?.at === 'number') last.at++
  }
  return undefined
}

function pointerTo(open: readonly Open[]): string {
  return open.reduce((pointer, { at }) => `${pointer}/${pointerStep(String(at))}`, '')
}
