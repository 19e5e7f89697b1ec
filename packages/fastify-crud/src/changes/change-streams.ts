import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { CrudError } from '@fastify-crud/core'
import {
  type Asked,
  busyWithStreams,
  type ChangesScope,
  type FeedListener,
  type FeedPart,
  type JsonStore,
  type LiveFeed,
} from '@fastify-crud/core/internal'
import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import type { ChangesOptions } from './changes-options.ts'

/** What a stream tells, and to whom. */
export interface StreamSight {
  /** Equal for all streams that tell the same. */
  readonly key: string
  readonly store: JsonStore
  readonly scope: ChangesScope
  readonly asked: Asked
}

/** What a client asks for. */
export interface StreamRequest {
  readonly reply: FastifyReply
  readonly sight: StreamSight
  /** The position of the last change that the client knows; undefined: it is told of what happens from now on. */
  readonly after: number | undefined
  /** Asks again what the client may see. Fails if it may not see it any more. */
  readonly look: () => Promise<StreamSight>
}

/** Those of all services of the process. */
let openStreams = 0

/** The streams of changes of a service. */
export class ChangeStreams {
  readonly #options: Required<ChangesOptions>
  readonly #log: FastifyBaseLogger
  readonly #streams = new Set<Stream>()
  readonly #told = new WeakMap<FeedPart, Map<string, Promise<readonly (string | undefined)[]>>>()
  #heart: NodeJS.Timeout | undefined
  #isOver = false
  /** The log knows already that the database cannot be asked. */
  #isFailing = false

  constructor(options: Required<ChangesOptions>, log: FastifyBaseLogger) {
    this.#options = options
    this.#log = log
  }

  /** Begins a stream. Resolves when the client has its head. Fails with `CRUD_ERR_BUSY` if there are too many, and with
   * `CRUD_ERR_GONE` if changes behind its position are not kept any more. */
  async open({ reply, sight, after, look }: StreamRequest): Promise<void> {
    const { maxStreams, poll, askAgain, heartbeat } = this.#options
    if (openStreams >= maxStreams) throw new CrudError(busyWithStreams(maxStreams))
    const feed = sight.store.feed()
    const terms = { reply, sight, look, feed, poll, askAgain, log: this.#log }
    const stream = new Stream({ ...terms, textsOf: this.#textsOf, failed: this.#failed })
    openStreams += 1
    this.#streams.add(stream)
    this.#heart ??= setInterval(() => this.#beat(), heartbeat).unref()
    const leave = () => {
      if (!this.#streams.delete(stream)) return
      openStreams -= 1
      feed.leave(stream)
      if (this.#streams.size > 0) return
      clearInterval(this.#heart)
      this.#heart = undefined
    }
    try {
      const position = await feed.follow(stream, after)
      if (this.#isOver) throw new CrudError(busyWithStreams(maxStreams))
      if (reply.raw.destroyed) leave()
      else {
        reply.raw.once('close', leave)
        stream.begin(position)
      }
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Ends all streams at once. Their clients follow again elsewhere. */
  end(): void {
    this.#isOver = true
    for (const stream of this.#streams) stream.end()
  }

  #beat(): void {
    for (const stream of this.#streams) stream.beat()
  }

  #failed = (error: unknown): void => {
    if (!this.#isFailing) this.#log.warn({ err: error }, FAILED)
    this.#isFailing = true
  }

  /** What a stream tells of some writes: the same for all that see the same. */
  #textsOf = (part: FeedPart, { key, store, scope, asked }: StreamSight): Promise<readonly (string | undefined)[]> => {
    this.#isFailing = false
    const known = this.#told.get(part) ?? new Map<string, Promise<readonly (string | undefined)[]>>()
    this.#told.set(part, known)
    const texts = known.get(key) ?? store.changes(scope, part.rows, asked)
    known.set(key, texts)
    // Who follows again is not told of an error that is over.
    texts.catch(() => known.delete(key))
    return texts
  }
}

interface StreamTerms extends Omit<StreamRequest, 'after'> {
  readonly feed: LiveFeed
  readonly poll: number
  readonly askAgain: number
  readonly log: FastifyBaseLogger
  /** Is told that the database could not be asked. */
  failed(error: unknown): void
  textsOf(part: FeedPart, sight: StreamSight): Promise<readonly (string | undefined)[]>
}

/** One client. Nothing of it runs while nothing happens. */
class Stream implements FeedListener {
  readonly poll: number
  readonly #terms: StreamTerms
  readonly #raw: ServerResponse
  #sight: StreamSight
  #lookedAt = Date.now()
  #position = 0
  /** The last position that the client was told. */
  #told = 0
  #isBusy = true
  /** The bytes that had not left at the last heartbeat. */
  #unsent = 0
  /** Something of what was sent has left since then. */
  #hasTaken = false

  constructor(terms: StreamTerms) {
    this.#terms = terms
    this.poll = terms.poll
    this.#raw = terms.reply.raw
    this.#sight = terms.sight
  }

  begin(position: number): void {
    const { reply } = this.#terms
    // Such as those of CORS.
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) this.#raw.setHeader(name, value)
    }
    reply.hijack()
    this.#raw.writeHead(200, HEADERS)
    this.#position = position
    this.#write(`retry: ${RETRY}\n${this.#mark()}`)
    this.#isBusy = false
    this.news()
  }

  news(): void {
    if (this.#isBusy || this.#position >= this.#terms.feed.position) return
    this.#isBusy = true
    this.#tellAll().then(
      () => {
        this.#isBusy = false
        // There may have been more in between.
        this.news()
      },
      (error: unknown) => {
        const { reply, log } = this.#terms
        log.info({ err: error, reqId: reply.request.id }, ENDED)
        this.end()
      },
    )
  }

  failed(error: unknown): void {
    this.#terms.failed(error)
  }

  end(): void {
    if (this.#raw.headersSent) this.#raw.end()
  }

  beat(): void {
    const unsent = this.#raw.writableNeedDrain ? this.#raw.writableLength : 0
    const takesNothing = this.#unsent > 0 && unsent >= this.#unsent && !this.#hasTaken
    if (takesNothing) this.#raw.destroy()
    else if (unsent === 0 && !this.#isBusy) this.#write(this.#told === this.#position ? ':\n\n' : this.#mark())
    this.#unsent = unsent
    this.#hasTaken = false
  }

  async #tellAll(): Promise<void> {
    const { feed, askAgain, look, textsOf } = this.#terms
    while (!this.#raw.writableEnded && !this.#raw.destroyed && this.#position < feed.position) {
      const part = await feed.after(this.#position)
      if (Date.now() - this.#lookedAt >= askAgain) {
        this.#sight = await look()
        this.#lookedAt = Date.now()
      }
      const texts = await textsOf(part, this.#sight)
      for (const [index, text] of texts.entries()) {
        const position = part.rows[index]?.position as number
        if (text === undefined) continue
        this.#told = position
        await this.#send(`id: ${position}\ndata: ${text}\n\n`)
      }
      this.#position = part.to
    }
  }

  /** An event without data tells a client where it is, and nothing else. */
  #mark(): string {
    this.#told = this.#position
    return `id: ${this.#position}\n\n`
  }

  /** Sends no more than a client takes: what it has not taken is as little as possible. */
  async #send(text: string): Promise<void> {
    const bytes = Buffer.from(text)
    for (let start = 0; start < bytes.length; start += AT_ONCE) {
      this.#write(bytes.subarray(start, start + AT_ONCE))
      if (this.#raw.writableNeedDrain) await drained(this.#raw)
    }
  }

  #noteTaken = (): void => {
    this.#hasTaken = true
  }

  #write(text: string | Uint8Array): void {
    if (!this.#raw.writableEnded && !this.#raw.destroyed) this.#raw.write(text, this.#noteTaken)
  }
}

/** So many bytes are handed to a connection at once. */
const AT_ONCE = 64 * 1024

/** Waits until a client has taken what it was sent, or has gone. */
async function drained(raw: ServerResponse): Promise<void> {
  if (raw.destroyed) return
  const either = new AbortController()
  const { signal } = either
  await Promise.race([once(raw, 'drain', { signal }), once(raw, 'close', { signal })])
  either.abort()
}

const ENDED =
  'fastify-crud: a stream of changes was ended, as its client may not follow it any more, or the database failed'
const FAILED = 'fastify-crud: changes could not be read; they are read again later'

/** Milliseconds until a client follows again. */
const RETRY = 1_000

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'private, no-cache, no-transform',
  // Proxies such as nginx hold back what they do not have in whole.
  'x-accel-buffering': 'no',
}
