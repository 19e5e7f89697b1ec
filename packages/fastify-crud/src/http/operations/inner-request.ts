import type { PlacedRequest, SpelledRequest } from '@fastify-crud/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** What a batch as a whole says of its requests. */
export interface WholeBatch {
  readonly request: FastifyRequest
  readonly prefix: string
  /** Answers have no records. */
  readonly isMinimal: boolean
  /** By what the batch is known if it is sent again. */
  readonly key: string | undefined
}

/** A request of a batch as its operation takes one. All that it does not say itself is that of the batch. */
export function innerRequest(
  { index, request, search }: PlacedRequest,
  { params, body }: SpelledRequest,
  path: string,
  { request: outer, prefix, isMinimal, key }: WholeBatch,
): FastifyRequest {
  const { ifMatch, maxAffected, method } = request
  const prefer = [
    ...(isMinimal ? ['return=minimal'] : []),
    ...(maxAffected === undefined ? [] : [`max-affected=${maxAffected}`]),
  ]
  const headers = {
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    ...(prefer.length > 0 && { prefer: prefer.join(', ') }),
    ...(key !== undefined && { 'idempotency-key': `${key} ${index}` }),
  }
  const own = {
    method,
    url: `${prefix}${path}${search}`,
    params,
    query: Object.fromEntries(new URLSearchParams(search)),
    headers,
    body,
  }
  return Object.create(outer, Object.getOwnPropertyDescriptors(own))
}

/** Takes the answer to a request of a batch in place of a reply. */
export class InnerReply {
  #status = 200
  readonly #headers = new Map<string, unknown>()
  #json: string | undefined

  code(status: number): this {
    this.#status = status
    return this
  }

  header(name: string, value: unknown): this {
    this.#headers.set(name, value)
    return this
  }

  getHeader(name: string): unknown {
    return this.#headers.get(name)
  }

  send(json?: string): this {
    this.#json = json
    return this
  }

  /** As much of a reply as operations use. */
  get asReply(): FastifyReply {
    return this as unknown as FastifyReply
  }

  get json(): string | undefined {
    return this.#json
  }

  /** What the answer to the batch says of this one, as JSON. `isUndone`: it has no place, and no state. */
  text(isUndone: boolean): string {
    const text = (name: string) => (isUndone ? undefined : this.#headers.get(name))
    const said = { status: this.#status, location: text('location'), etag: text('etag') }
    const start = JSON.stringify(said)
    return this.#json === undefined ? start : `${start.slice(0, -1)},"body":${this.#json}}`
  }
}
