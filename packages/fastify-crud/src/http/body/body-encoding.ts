import { isUtf8 } from 'node:buffer'
import type { Problem } from '@fastify-crud/core'
import { markLostDigits, shortened } from '@fastify-crud/core/internal'
import type { FastifyBodyParser, FastifyInstance, preParsingHookHandler } from 'fastify'
import { invalidRequest } from '../request.ts'
import { repeatedName } from './repeated-name.ts'

/**
 * Parses JSON as the application's instance does, but refuses what is not UTF-8: fastify's own parser puts U+FFFD in its
 * place. An object with two values of one name is refused. A whole number that JavaScript would round is marked, so that it is refused. An application that has a parser for `application/json` keeps it.
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
 * Refuses a body in a content encoding, unless a hook of the application has decoded it. Such a hook either puts another stream in
 * the place of the body, or removes the header.
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
