import { EffectsChangedError, ServiceError } from './service-error.ts'
import { checkServiceModel, type ServiceModel } from './service-model.ts'

/** How a client reaches its service. */
export interface ClientOptions {
  /** Where the service is, with its prefix: `/api`, or `https://shop.example/api`. */
  readonly url: string
  /** What requests have besides, such as a token. A function is called for each request. */
  readonly headers?: Headers | (() => Headers | Promise<Headers>)
  /** Default: the global one. */
  readonly fetch?: typeof fetch
  /** What the service says of itself, `GET /api/$model`. Default: it is asked when it is needed first. */
  readonly model?: object
  /** How often a request is sent again at most. Default: 3. */
  readonly retries?: number
  /** Called once for 401s that come together. If it resolves to true, as there is another token, the requests are sent
   * again. */
  readonly onUnauthorized?: () => unknown
}

type Headers = Readonly<Record<string, string>>

/** What may be said of each request. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  readonly headers?: Headers
  /** How often it is sent again at most. Default: as the client's options say. */
  readonly retries?: number
}

/** Of a stream. */
export interface StreamOptions extends RequestOptions {
  /** Is given the headers of the request before it is sent, and may fail it. */
  readonly check?: ((headers: Headers) => Promise<void>) | undefined
}

/** A request, behind the URL of the service. */
export interface ServiceCall extends RequestOptions {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** Whether it is sent again: always, with an `Idempotency-Key`, or never. */
  readonly repeats: 'always' | 'by key' | 'never'
}

/** What a service has answered. */
export interface ServiceAnswer {
  readonly status: number
  readonly etag: string | null
  /** Of effects. */
  readonly tag: string | null
  /** Undefined without a body. */
  // biome-ignore lint/suspicious/noExplicitAny: the model tells what it is
  readonly body: any
}

/** Under which a client has its transport, for what else this package makes of it. */
export const TRANSPORT = Symbol.for('@fastify-crud/client transport')

export interface Transport {
  /** Rejects with a {@link ServiceError} if the service refuses it or fails, with the error of `fetch` if it is not
   * reached. */
  send(call: ServiceCall): Promise<ServiceAnswer>
  /** Sends a GET, and leaves it to the caller to read the answer. Rejects with a {@link ServiceError} if the service
   * refuses it. */
  open(path: string, options: StreamOptions): Promise<Response>
  readonly base: string
  /** Nobody knows what it sends. */
  readonly hasOwnFetch: boolean
  /** What requests have besides. */
  headers(): Promise<Headers | undefined>
  model(): Promise<ServiceModel>
  /** Forgets the model: what the caller may see has changed. */
  reset(): void
}

const RETRIES = 3

/** The first pause before a request is sent again, which doubles each time, and the longest, in milliseconds. */
const FIRST_PAUSE = 200
const LONGEST_PAUSE = 60_000

export function createTransport(options: ClientOptions): Transport {
  const base = options.url.replace(/\/$/, '')
  const fetchIt = options.fetch ?? ((...request: Parameters<typeof fetch>) => globalThis.fetch(...request))
  let known = options.model === undefined ? undefined : Promise.resolve(checkServiceModel(options.model))
  let hash: string | undefined
  /** Where the last of the client's writes is: no replica answers that lacks it. */
  let position: string | undefined
  let refreshing: Promise<unknown> | undefined

  const reset = (): void => {
    known = undefined
    hash = undefined
    position = undefined
  }

  const model = (): Promise<ServiceModel> => {
    known ??= readModel()
    return known
  }

  const readModel = (): Promise<ServiceModel> => {
    const reading = sendOnce({ method: 'GET', path: '/$model', repeats: 'always' }, undefined)
      .then(({ body }) => checkServiceModel(body))
      .catch((error: unknown) => {
        if (known === reading) reset()
        throw error
      })
    return reading
  }

  /** Whether a request that was refused with 401 is to be sent again. */
  const isRefreshed = async (): Promise<boolean> => {
    const { onUnauthorized } = options
    if (onUnauthorized === undefined) return false
    refreshing ??= Promise.resolve(onUnauthorized()).finally(() => {
      refreshing = undefined
    })
    return (await refreshing) === true
  }

  const ownHeaders = async () => (typeof options.headers === 'function' ? await options.headers() : options.headers)

  const open = async (path: string, given: StreamOptions, isFresh = true): Promise<Response> => {
    const { signal = null, check } = given
    const headers = { ...(await ownHeaders()), ...given.headers }
    await check?.(headers)
    const response = await fetchIt(base + path, { headers, signal })
    if (response.ok) return response
    if (response.status === 401 && isFresh && (await isRefreshed())) return await open(path, given, false)
    throw refusal(await read(response))
  }

  const sendOnce = async (call: ServiceCall, key: string | undefined): Promise<ServiceAnswer> => {
    const { method, path, body, signal = null, repeats, retries = options.retries ?? RETRIES } = call
    const mayRepeat = repeats === 'always' || key !== undefined
    let isFresh = true
    for (let tries = 0; ; tries += 1) {
      const headers = {
        ...(await ownHeaders()),
        ...(position !== undefined && { 'crud-position': position }),
        ...call.headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      }
      let error: unknown
      let after: string | null = null
      try {
        const request = { method, headers, signal, ...(body !== undefined && { body: JSON.stringify(body) }) }
        const response = await fetchIt(base + path, request)
        const answer = await read(response)
        noteHash(response.headers.get('crud-model'))
        position = later(position, response.headers.get('crud-position'))
        if (response.ok) return answer
        if (response.status === 401) reset()
        if (response.status === 401 && isFresh && (await isRefreshed())) {
          isFresh = false
          tries -= 1
          continue
        }
        error = refusal(answer)
        after = response.headers.get('retry-after')
      } catch (failure) {
        error = failure
      }
      if (!mayRepeat || tries >= retries || signal?.aborted || !isPassing(error)) throw error
      await pause(tries, after, signal)
    }
  }

  /** Another hash is that of another model: the service was deployed. */
  const noteHash = (told: string | null): void => {
    if (told === null || hash === undefined || told === hash) return
    reset()
  }

  return {
    base,
    hasOwnFetch: options.fetch !== undefined,
    headers: ownHeaders,
    open,
    model,
    reset,
    async send(call) {
      const { hash: current, idempotency } = await model()
      hash ??= current
      return await sendOnce(call, call.repeats === 'by key' && idempotency ? newKey() : undefined)
    },
  }
}

/** The later of two places in a log of PostgreSQL, two hexadecimal numbers such as `0/3000148`. */
function later(known: string | undefined, told: string | null): string | undefined {
  const [high = 0, low = 0] = numbersOf(told)
  const [knownHigh = -1, knownLow = -1] = numbersOf(known)
  return told !== null && (high - knownHigh || low - knownLow) > 0 ? told : known
}

function numbersOf(position: string | null | undefined): number[] {
  return position?.split('/').map((part) => Number.parseInt(part, 16)) ?? []
}

/** What a service that refuses or fails has answered, as an error. */
function refusal({ status, body = {}, tag }: ServiceAnswer): ServiceError {
  return body.effects === undefined
    ? new ServiceError(status, body)
    : new EffectsChangedError(status, body, body.effects, tag)
}

async function read(response: Response): Promise<ServiceAnswer> {
  const text = await response.text()
  const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '')
  const body: unknown = text === '' ? undefined : isJson ? JSON.parse(text) : { detail: text }
  const { status, headers } = response
  return { status, etag: headers.get('etag'), tag: headers.get('effects-tag'), body }
}

/** Whether another try may help: the connection was lost, the service is busy, or nobody knows whether it was done. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return (error as Partial<Error> | null)?.name === 'TypeError'
  return error.status === 503 || error.code === 'CRUD_ERR_OUTCOME_UNKNOWN'
}

/** Waits as long as the service says, or longer each time, and not as long as others do. Rejects if it is aborted. */
export function pause(tries: number, after: string | null, signal: AbortSignal | null): Promise<void> {
  const told = after === null ? undefined : Number(after) * 1_000 || Date.parse(after) - Date.now()
  const least = told !== undefined && told > 0 ? told : (FIRST_PAUSE * 2 ** tries) / 2
  const time = Math.min(least * (1 + Math.random()), LONGEST_PAUSE)
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, time)
    signal?.addEventListener('abort', abort)
  })
}

/** Random, also on pages that were not loaded over HTTPS: these have no `randomUUID`. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
