import { STATUS_CODES } from 'node:http'
import {
  type Blocker,
  CrudError,
  type CrudErrorCode,
  type EffectChange,
  type Effects,
  type Problem,
} from '@fastify-crud/core'
import { errorKinds, shortened } from '@fastify-crud/core/internal'
import { PROBLEM_MEDIA_TYPE, problemType } from '@fastify-crud/openapi'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ClientGoneError } from './client-gone.ts'
import { EFFECTS_TAG } from './headers/effects-match.ts'

/** How long a client should wait before it sends a request again that others were in the way of, in seconds. */
const RETRY_AFTER_S = '1'

/** The body of every error, by RFC 9457. */
export interface ProblemBody {
  readonly type: string
  readonly title: string
  readonly status: number
  /** One of the library's codes, or that of an application's own error. */
  readonly code: CrudErrorCode | (string & {})
  readonly detail: string
  readonly errors: readonly Problem[]
  /** Of `CRUD_ERR_STILL_NEEDED`: the records in the way that the caller may see. */
  readonly blockers?: readonly Blocker[]
  /** Of a batch: the index of the request that is refused. */
  readonly request?: number
  /** Of `CRUD_ERR_PRECONDITION`, where `Effects-Match` is not met: what the write would do now. */
  readonly effects?: Effects
  /** Of `CRUD_ERR_CHANGED`: what later writes have changed of what an undo would set back. */
  readonly changes?: readonly EffectChange[]
}

/** Any error as the body that a client is sent. Of errors that the client did not cause, the body tells nothing. */
function toProblem(error: unknown, replyStatus: number): ProblemBody {
  if (error instanceof CrudError) {
    const { code, status, message, errors, blockers, effects, request, changes } = error
    const more = {
      ...(blockers && { blockers }),
      ...(effects && { effects: effects.shown }),
      ...(request !== undefined && { request }),
      ...(changes && { changes }),
    }
    return { ...problem(code, status, message, errors), ...more }
  }
  const { statusCode, message, code } = error as { statusCode?: unknown; message?: unknown; code?: unknown }
  // As fastify has it: an error's own status, else one that was set on the reply before.
  const status = [statusCode, replyStatus].find(isErrorStatus) ?? 500
  if (status === 503) return problem('CRUD_ERR_BUSY', 503, 'the service is busy; try again', [])
  if (status >= 500) return problem('CRUD_ERR_INTERNAL', status, 'something went wrong on the server', [])
  const known = CODE_OF_STATUS[status]
  const detail = DETAILS[String(code)] ?? String(message ?? '')
  if (known !== undefined) return problem(known, status, detail, [])
  const title = STATUS_CODES[status] ?? 'Error'
  return { type: 'about:blank', title, status, code: typeof code === 'string' ? code : 'ERR_HTTP', detail, errors: [] }
}

function isErrorStatus(status: unknown): status is number {
  return typeof status === 'number' && status >= 400 && status <= 599
}

/** Where fastify's own words do not say what to do. */
const DETAILS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'a body must have the content-type application/json',
  FST_ERR_MAX_PARAM_LENGTH:
    'an id in the address is too long; a filter has room for it in the body of a POST to …/$list',
}

const CODE_OF_STATUS: Readonly<Record<number, CrudErrorCode>> = {
  400: 'CRUD_ERR_INVALID',
  403: 'CRUD_ERR_FORBIDDEN',
  404: 'CRUD_ERR_NOT_FOUND',
  405: 'CRUD_ERR_METHOD',
  412: 'CRUD_ERR_PRECONDITION',
  413: 'CRUD_ERR_BODY',
  415: 'CRUD_ERR_BODY',
}

function problem(code: CrudErrorCode, status: number, detail: string, errors: readonly Problem[]): ProblemBody {
  const title = status === errorKinds[code].status ? errorKinds[code].title : (STATUS_CODES[status] ?? 'Error')
  return { type: problemType(code), title, status, code, detail, errors }
}

/**
 * A trigger or a policy of the database has refused it, or its role lacks a right, which may be a mistake of the
 * operator. What a rule refuses has no cause.
 */
function isRefusedByDatabase(error: unknown): boolean {
  if (!(error instanceof CrudError) || error.cause === undefined) return false
  return error.code === 'CRUD_ERR_REFUSED' || error.code === 'CRUD_ERR_FORBIDDEN'
}

/**
 * The error handler of the plugin's routes, for the application's own: it answers any error as
 * `application/problem+json`, and logs it. A `CrudError` has its status and all of its `errors`; another error has its
 * `statusCode`. Of a status from 500 on, the client learns nothing but the code.
 *
 * @example
 * app.setErrorHandler(sendProblem)
 */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof ClientGoneError) {
    request.log.debug('a client disconnected before it was answered')
    return reply.hijack()
  }
  const body = toProblem(error, reply.statusCode)
  if (body.status === 503) {
    const isOurs = error instanceof CrudError
    request.log.warn({ err: error }, isOurs ? 'the database was too busy' : 'the service could not answer now')
    reply.header('retry-after', RETRY_AFTER_S)
  } else if (body.status >= 500) {
    request.log.error({ err: error }, 'a request failed')
  } else if (isRefusedByDatabase(error)) {
    // Only here are the database's own words.
    request.log.info({ err: error }, 'the database refused a request')
  } else {
    request.log.debug({ err: error }, 'a request was refused')
  }
  if (error instanceof CrudError && error.effects !== undefined) reply.header(EFFECTS_TAG, `"${error.effects.tag}"`)
  return reply.code(body.status).header('content-type', PROBLEM_MEDIA_TYPE).send(JSON.stringify(body))
}

/** The header by which clients see that the model is another one than theirs. */
export const MODEL_HEADER = 'crud-model'

/** The same error handler for a service that describes itself: its answers have the hash of the model. */
export function problemSender(modelHash: string): typeof sendProblem {
  return (error, request, reply) => sendProblem(error, request, reply.header(MODEL_HEADER, modelHash))
}

/** What Node.js refuses before it is a request, by the code of its error. */
const CLIENT_ERRORS: Readonly<Record<string, readonly [status: number, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    'the address and the headers are too long together; send the query of a list as the body of a POST to …/$list',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
}

/** A connection, on which no reply is there yet. */
interface RawSocket {
  readonly destroyed: boolean
  readonly writable: boolean
  write(text: string): unknown
  destroy(error: Error): unknown
}

/**
 * The handler of what is no HTTP request, for the application's own: it answers as {@link sendProblem} does. For an
 * address that is too long (431), it says how to ask for the list all the same.
 *
 * @example
 * const app = Fastify({ clientErrorHandler: sendClientProblem, frameworkErrors: sendProblem })
 */
export function sendClientProblem(error: Error & { readonly code?: string }, socket: RawSocket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [statusCode, message] = CLIENT_ERRORS[String(error.code)] ?? [400, 'the request is not valid HTTP']
  const body = toProblem({ statusCode, message, code: error.code }, statusCode)
  const head = [
    `HTTP/1.1 ${body.status} ${STATUS_CODES[body.status]}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(JSON.stringify(body))}`,
    'Connection: close',
  ]
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${JSON.stringify(body)}`)
  socket.destroy(error)
}

/** The error of a URL that is no path of the service. */
export function nothingAt(url: string): CrudError {
  return new CrudError({ code: 'CRUD_ERR_NOT_FOUND', detail: `there is nothing at ${shortened(url)}`, errors: [] })
}
