import { createInstance, getHttpOperationsFromSpec, type IHttpResponse } from '@stoplight/prism-http'

/** One request through the proxy. */
export interface Exchange {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: unknown
  /** How the request does not fit the document, in words. */
  readonly requestMisfits: readonly string[]
  /** How the answer does not fit the document, in words. */
  readonly answerMisfits: readonly string[]
}

export type SendRequest = (
  method: string,
  url: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Exchange>

type Logger = Parameters<typeof createInstance>[1]['logger']

const log = (): void => undefined
const quiet = { info: log, warn: log, error: log, debug: log, trace: log, success: log, child: () => quiet }

/** A Prism that stands between a client and a service, and compares what passes with the service's document. */
export async function startProxy(document: object, upstream: string): Promise<SendRequest> {
  const operations = await getHttpOperationsFromSpec(structuredClone(document))
  const instance = createInstance(
    {
      isProxy: true,
      upstream: new URL(upstream),
      upstreamProxy: undefined,
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      // Requests that do not fit are passed on all the same, so that what the service says of them is seen.
      errors: false,
      mock: { dynamic: false },
    },
    // Prism takes only a few methods of pino's logger.
    { logger: quiet as unknown as Logger },
  )
  return async (method, url, body, headers = {}) => {
    const { pathname, searchParams } = new URL(url, upstream)
    const request = {
      method: method.toLowerCase() as 'get',
      url: { path: pathname, query: Object.fromEntries(searchParams) },
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    }
    const result = await instance.request(request, operations)()
    if (result._tag === 'Left') throw result.left
    const { output, validations } = result.right
    return { ...answerOf(output), requestMisfits: words(validations.input), answerMisfits: words(validations.output) }
  }
}

function answerOf({ statusCode, headers = {}, body }: IHttpResponse): Pick<Exchange, 'status' | 'headers' | 'body'> {
  return { status: statusCode, headers, body: body === '' ? undefined : body }
}

function words(found: readonly { readonly path?: readonly unknown[]; readonly message: string }[]): string[] {
  return found.map(({ path = [], message }) => `${path.join('.')} ${message}`)
}
