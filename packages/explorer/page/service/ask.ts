import { noteOwnWrite } from '../live/own-writes.ts'
import { serviceUrl } from '../settings.ts'
import { headersOfCaller } from './caller.ts'
import { ServiceError } from './problem.ts'
import { noteAnswer, noteRequest } from './requests.ts'

export interface Ask {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

export interface Answer<Body> {
  readonly status: number
  readonly body: Body
  readonly etag: string | undefined
  readonly location: string | undefined
  /** Of a preview: what the same request has as `Effects-Match`. */
  readonly effectsTag: string | undefined
}

/**
 * Sends a request to the service, and notes it for the drawer.
 *
 * @throws ServiceError for an answer that is no success; TypeError, as `fetch` has it, where there is no answer.
 */
export async function ask<Body>(path: string, request: Ask = {}): Promise<Answer<Body>> {
  const { method = 'GET', query = '', body, signal } = request
  const whole = query === '' ? path : `${path}?${query}`
  const headers: Record<string, string> = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...request.headers,
    ...headersOfCaller(),
  }
  const number = noteRequest({ method, path: whole, headers, ...(body !== undefined && { body }) })
  const isWrite = method !== 'GET' && !/tx=rollback/.test(headers.prefer ?? '')
  const takeBack = isWrite ? noteOwnWrite(path) : undefined
  const begun = performance.now()
  const sent: RequestInit = { method, headers, ...(signal && { signal }) }
  if (body !== undefined) sent.body = JSON.stringify(body)
  try {
    const response = await fetch(`${serviceUrl}${whole}`, sent)
    const text = await response.text()
    noteAnswer(number, response.status, performance.now() - begun, text)
    const read = readJson(text)
    if (!response.ok) throw new ServiceError(response.status, read ?? { detail: text.slice(0, 300) })
    return {
      status: response.status,
      body: read as Body,
      etag: response.headers.get('etag') ?? undefined,
      location: response.headers.get('location') ?? undefined,
      effectsTag: response.headers.get('effects-tag') ?? undefined,
    }
  } catch (error) {
    takeBack?.()
    if (!(error instanceof ServiceError)) noteAnswer(number, 0, performance.now() - begun, String(error))
    throw error
  }
}

function readJson(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
