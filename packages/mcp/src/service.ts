import type { FastifyInstance, FastifyRequest, HTTPMethods, InjectOptions } from 'fastify'
import type { CheckedOptions } from './options.ts'

/** What the service answers to a call. */
export interface CallAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** The answer as it was sent; empty: there is none. */
  readonly text: string
  /** The same as data; undefined: there is none. */
  readonly body: unknown
}

/** Calls the service as the one who called the tool. */
export type CallService = (
  method: HTTPMethods,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<CallAnswer>

/**
 * Every call is a request to the service's own routes, with the credentials of the request: hooks, `authorize`,
 * policies, rules and replaced endpoints hold for it as for any other client.
 */
export function serviceOf(
  app: FastifyInstance,
  request: FastifyRequest,
  { service, headers }: CheckedOptions,
): CallService {
  const credentials: Record<string, string> = {}
  for (const name of ['authorization', 'cookie', ...headers]) {
    const value = request.headers[name]
    // A page of the web that may not call must not use the cookies of its visitor.
    const isForeign = name === 'cookie' && request.headers.origin === undefined
    if (typeof value === 'string' && !isForeign) credentials[name] = value
  }
  return async (method, path, body, more) => {
    const options: InjectOptions = {
      method: method as NonNullable<InjectOptions['method']>,
      url: `${service}${path}`,
      headers: { ...credentials, host: request.host, ...more },
      remoteAddress: request.ip,
      ...(body !== undefined && { payload: body as object }),
    }
    const { statusCode: status, headers: answered, body: text } = await app.inject(options)
    const isJson = /[/+]json\b/.test(String(answered['content-type']))
    return { status, headers: answered, text, body: isJson && text !== '' ? JSON.parse(text) : undefined }
  }
}

/** A call that the service has refused, or that cannot be made. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

interface Problem {
  readonly status?: number
  readonly code?: string
  readonly title?: string
  readonly detail?: string
  readonly errors?: readonly { readonly pointer?: string; readonly parameter?: string; readonly message: string }[]
  readonly blockers?: readonly { readonly resource: string; readonly relation: string; readonly count: number }[]
}

/** The answer, unless it is a refusal: then an error that says why, and where. */
export function unlessRefused(answer: CallAnswer): CallAnswer {
  if (answer.status < 400) return answer
  throw new ToolError(refusalInWords(answer))
}

export function refusalInWords({ status, body }: CallAnswer): string {
  const { code, title, detail, errors = [], blockers = [] } = (body ?? {}) as Problem
  const first = [status, code, detail ?? title].filter((one) => one !== undefined).join(' ')
  const at = errors.map(({ pointer, parameter, message }) => `- ${pointer ?? parameter ?? ''}: ${message}`)
  const by = blockers.map(({ resource, relation, count }) => `- ${count} ${resource} (${relation}) need it`)
  return [first, ...at, ...by].join('\n')
}
