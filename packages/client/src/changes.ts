import type { Id, LiveChange, Model, TopKey } from '@fastify-crud/core/types'
import { pathAtTop, resourceNamed, type ServiceModel } from './service-model.ts'
import { nameOfStream, type ServerEvent, sharedEvents, tabsHere } from './shared-stream.ts'
import { isPassing, pause, type RequestOptions, type StreamOptions, TRANSPORT, type Transport } from './transport.ts'
import type { Client } from './types/client.ts'

/** Which changes are followed, and from when on. */
export interface FollowOptions<K extends string = string> extends Pick<RequestOptions, 'signal' | 'headers'> {
  /** Those of the records of one resource, and of what they own. Default: all. */
  readonly resource?: K
  /** Of these, those of one record. */
  readonly id?: Id
  /** The `position` of the last change that is known already. Default: what happens from now on. */
  readonly after?: number
  /** Whether the tabs of a browser that follow the same with the same headers share one stream. Default: true, but for
   * clients with a `fetch` of their own. */
  readonly shared?: boolean
}

/**
 * Follows what is written, as it happens: each write once, with what it did as far as the caller may see it. If the
 * connection is lost, it connects again and goes on where it was, for as long as that takes.
 *
 * Ends when the loop is left, or by `signal`. Rejects with a `ServiceError` if the service refuses it: 410
 * `CRUD_ERR_GONE` says that changes behind `after` are not kept any more. Throws a TypeError for a resource without
 * changes.
 *
 * @example
 * const ends = new AbortController()
 * const loop = async () => {
 *   for await (const { operation, changes: all } of changes(api, { resource: 'book', signal: ends.signal })) {
 *     console.log(operation, all)
 *   }
 * }
 * ends.abort()
 * await loop()
 */
export async function* changes<M extends Model, A>(
  api: Client<M, A>,
  options: FollowOptions<TopKey<M> & string> = {},
): AsyncGenerator<LiveChange, void, undefined> {
  if (options.signal?.aborted) return
  const transport = (api as unknown as { readonly [TRANSPORT]: Transport })[TRANSPORT]
  const path = pathIn(await transport.model(), options)
  for await (const { data } of eventsAt(transport, path, options)) {
    if (data !== undefined) yield JSON.parse(data) as LiveChange
  }
}

/** The events of a path, by a stream of all tabs where there are some. */
async function* eventsAt(
  transport: Transport,
  path: string,
  { after, signal, headers = {}, shared = true }: FollowOptions,
): AsyncGenerator<ServerEvent, void, undefined> {
  const tabs = shared && !transport.hasOwnFetch ? tabsHere() : undefined
  if (tabs === undefined) return yield* eventsBehind(transport, path, after, { headers, signal })
  const url = new URL(transport.base + path, tabs.location.href).href
  const nameNow = async () => await nameOfStream(url, { ...(await transport.headers()), ...headers })
  let position = after
  for (;;) {
    const name = await nameNow()
    const check = async ({ 'last-event-id': _, ...sent }: Readonly<Record<string, string>>) => {
      if (name !== (await nameOfStream(url, sent))) throw OTHERS
    }
    // Headers that are others each time, such as the id of a request, tell nothing about whose stream it is.
    const open = (behind: number | undefined, until: AbortSignal | undefined) =>
      eventsBehind(transport, path, behind, { headers, signal: until, check })
    if (name !== (await nameNow())) return yield* eventsBehind(transport, path, position, { headers, signal })
    try {
      for await (const event of sharedEvents(tabs, name, open, position, signal)) {
        position = event.id
        yield event
      }
      return
    } catch (error) {
      if (error !== OTHERS) throw error
    }
  }
}

const OTHERS = new Error('a stream with these headers is not the one that the tabs share')

/** The events behind a position. If the connection is lost, it connects again. */
async function* eventsBehind(
  transport: Transport,
  path: string,
  after: number | undefined,
  { headers, signal, check }: StreamOptions,
): AsyncGenerator<ServerEvent, void, undefined> {
  const isOver = () => signal?.aborted === true
  let position = after
  for (let tries = 0; !isOver(); tries += 1) {
    const known = position === undefined ? undefined : { 'last-event-id': String(position) }
    try {
      const { body } = await transport.open(path, { headers: { ...headers, ...known }, signal, check })
      for await (const event of eventsIn(body as ReadableStream<Uint8Array>)) {
        tries = 0
        position = event.id
        yield event
        if (isOver()) return
      }
    } catch (error) {
      if (isOver()) return
      if (!isPassing(error)) throw error
    }
    await pause(Math.min(tries, MOST_DOUBLED), null, signal ?? null).catch(() => {})
  }
}

/** The pause until it connects again is doubled so many times at most. */
const MOST_DOUBLED = 6

function pathIn(model: ServiceModel, { resource: key, id }: FollowOptions): string {
  const tells = Object.values(model.resources).some(({ operations }) => operations?.changes !== undefined)
  if (key === undefined && tells) return '/$changes'
  if (key === undefined) throw new TypeError('the service does not tell of changes: it needs `changes: true`')
  const resource = resourceNamed(model, key)
  if (resource.operations?.changes === undefined) throw new TypeError(`the service does not tell of changes of ${key}`)
  return `${pathAtTop(resource, key)}${id === undefined ? '' : `/${encodeURIComponent(id)}`}/$changes`
}

/** The events of a stream, as https://html.spec.whatwg.org/multipage/server-sent-events.html has them. */
async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = parts.pop() as string
      for (const part of parts) {
        const fields = new Map(part.split('\n').map((line) => line.split(/: ?(.*)/s) as [string, string]))
        const id = fields.get('id')
        if (id !== undefined) yield { id: Number(id), data: fields.get('data') }
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
