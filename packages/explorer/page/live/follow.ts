import { createClient, ServiceError } from '@fastify-crud/client'
import { changes } from '@fastify-crud/client/changes'
import type { ModelDocument } from '../model/model.ts'
import { headersOfCaller } from '../service/caller.ts'
import { noteAnswer, noteRequest } from '../service/requests.ts'
import { serviceUrl } from '../settings.ts'
import type { LiveEvent } from './marks.ts'

interface Following {
  readonly model: ModelDocument
  readonly signal: AbortSignal
  /** The position of the last event that is known. */
  readonly after: number | undefined
  readonly onEvent: (event: LiveEvent) => void
  /** What was read before may be old: the stream begins now, or the service does not know any more what was missed. */
  readonly onGap: () => void
}

/** Follows what is written until the signal ends it, or the service refuses to tell. */
export async function follow({ model, signal, after, onEvent, onGap }: Following): Promise<void> {
  const open: typeof fetch = async (url, init) => {
    const response = await notedFetch(url, init)
    if (response.ok && !new Headers(init?.headers).has('last-event-id')) onGap()
    return response
  }
  const api = createClient({ url: serviceUrl, headers: headersOfCaller, model, fetch: open })
  let position = after
  while (!signal.aborted) {
    try {
      const options = position === undefined ? { signal } : { signal, after: position }
      for await (const event of changes(api, options)) onEvent(event as LiveEvent)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 410) throw error
      position = undefined
    }
  }
}

/** The stream is a request of the page like any other. */
const notedFetch: typeof fetch = async (url, init) => {
  const path = String(url).slice(serviceUrl.length)
  const headers = Object.fromEntries(new Headers(init?.headers))
  const number = noteRequest({ method: 'GET', path, headers })
  const begun = performance.now()
  try {
    const response = await fetch(url, init)
    noteAnswer(number, response.status, performance.now() - begun, '')
    return response
  } catch (error) {
    noteAnswer(number, 0, performance.now() - begun, '')
    throw error
  }
}
