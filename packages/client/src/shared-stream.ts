// One stream for all tabs of a browser: the tab that holds a lock reads it and tells the others by a channel. Nothing
// depends on who holds the lock, or on whether messages arrive: each says behind which position it follows, and a tab
// that misses something reads it from the service.

/** An event of a stream. */
export interface ServerEvent {
  readonly id: number
  /** Undefined: it says only where the stream is. */
  readonly data: string | undefined
}

/** The events behind a position, until `signal` ends them. Fails where the service refuses them. */
export type OpenStream = (after: number | undefined, signal: AbortSignal) => AsyncIterable<ServerEvent>

/** An event as one tab tells it to the others: the next one behind `from`. */
interface ToldEvent extends ServerEvent {
  readonly from: number
}

/** What a tab says that reads, but has no position yet. */
const NOWHERE = 'nowhere'

/** By which a tab asks where the stream is. */
const QUESTION = 'where'

/** What tabs tell each other. */
type Heard = ToldEvent | typeof NOWHERE | typeof QUESTION

/** After so many milliseconds without a message, a tab asks; so long it waits for an answer. A page that the browser
 * has put to sleep gives none, but keeps its lock. */
const QUIET = 10_000
const PATIENCE = 5_000

/** So many events are kept for a loop that is slow. Those behind are read again. */
const MOST_KEPT = 1_000

interface LockTerms {
  readonly ifAvailable?: true
  readonly steal?: true
  readonly signal?: AbortSignal
}

/** What browsers have. */
interface Tabs {
  readonly origin: string
  readonly location: { readonly href: string }
  readonly navigator: {
    readonly locks: {
      request(name: string, terms: LockTerms, hold: (lock: object | null) => Promise<void>): Promise<void>
    }
  }
}

/** Undefined outside of browsers, and for pages without an origin that they could share with others. */
export function tabsHere(): Tabs | undefined {
  const here = globalThis as unknown as Partial<Tabs>
  const { origin = 'null', navigator } = here
  const hasAll = navigator?.locks && globalThis.BroadcastChannel && globalThis.crypto?.subtle
  return origin !== 'null' && hasAll ? (here as Tabs) : undefined
}

/** Equal for all streams that tell the same. It does not give away what the headers are. */
export async function nameOfStream(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const sorted = Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: ${value}`)
  const text = new TextEncoder().encode(JSON.stringify([url, sorted.sort()]))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', text))
  return `fastify-crud ${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** The events of a stream behind a position, each once and in order, whichever tab reads it. */
export async function* sharedEvents(
  tabs: Tabs,
  name: string,
  open: OpenStream,
  after: number | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerEvent, void, undefined> {
  const share = new StreamShare(tabs, name, open, after)
  const end = () => share.end()
  signal?.addEventListener('abort', end)
  if (signal?.aborted) end()
  try {
    yield* share.events()
  } finally {
    signal?.removeEventListener('abort', end)
    end()
  }
}

/** The part of one loop in a stream that tabs share. */
class StreamShare {
  readonly #tabs: Tabs
  readonly #name: string
  readonly #open: OpenStream
  readonly #channel: InstanceType<typeof BroadcastChannel>
  /** What others have told, and the loop has not had. */
  readonly #inbox: ToldEvent[] = []
  /** The last position that the loop has had, and that was told. */
  #position: number | undefined
  #head: number | undefined
  /** Ends waiting for the lock, or reading with it. */
  #turn = new AbortController()
  /** Ends reading what this tab has missed. */
  #catchUp = new AbortController()
  #isOver = false
  #failure: { readonly error: unknown } | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #wake = () => {}

  constructor(tabs: Tabs, name: string, open: OpenStream, after: number | undefined) {
    this.#tabs = tabs
    this.#name = name
    this.#open = open
    this.#position = after
    this.#channel = new BroadcastChannel(name)
    this.#channel.onmessage = ({ data }: { readonly data: Heard }) => this.#hear(data)
  }

  end(): void {
    this.#isOver = true
    this.#turn.abort()
    this.#catchUp.abort()
    clearTimeout(this.#timer)
    this.#channel.close()
    this.#wake()
  }

  async *events(): AsyncGenerator<ServerEvent, void, undefined> {
    if (this.#isOver) return
    this.#ask()
    const isFirst = await new Promise<boolean>((resolve) => void this.#serve({ ifAvailable: true }, resolve))
    // Only the service knows where it is now, and so from when on this tab wants to be told.
    if (!isFirst && this.#position === undefined) yield* this.#missed()
    while (!this.#isOver) {
      const told = this.#inbox.shift()
      if (isBefore(this.#position, told === undefined ? this.#head : told.from)) yield* this.#missed()
      else if (told === undefined) await new Promise<void>((resolve) => (this.#wake = resolve))
      else if (this.#position === undefined || isBefore(this.#position, told.id)) {
        this.#position = told.id
        yield told
      }
    }
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /** Reads from the service, until the others have told no more. */
  async *#missed(): AsyncGenerator<ServerEvent, void, undefined> {
    if (this.#isOver) return
    this.#catchUp = new AbortController()
    for await (const event of this.#open(this.#position, this.#catchUp.signal)) {
      this.#position = event.id
      yield event
      if (this.#hasAll()) return
    }
  }

  #hasAll(): boolean {
    return this.#position !== undefined && this.#head !== undefined && this.#position >= this.#head
  }

  #hear(data: Heard): void {
    if (data === QUESTION) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#ask(), QUIET)
    if (data === NOWHERE) return
    this.#head = data.id
    this.#inbox.push(data)
    if (this.#inbox.length > MOST_KEPT) this.#inbox.length = 0
    if (this.#hasAll()) this.#catchUp.abort()
    this.#wake()
  }

  #ask(): void {
    this.#channel.postMessage(QUESTION)
    this.#timer = setTimeout(() => {
      this.#turn.abort()
      void this.#serve({ steal: true }, () => {})
    }, PATIENCE)
  }

  /** Waits for the lock, and reads. `began`: it is known whether the lock was free. */
  async #serve(first: LockTerms, began: (isFree: boolean) => void): Promise<void> {
    for (let terms: LockTerms | undefined = first; !this.#isOver; terms = undefined) {
      const turn = new AbortController()
      this.#turn = turn
      try {
        await this.#tabs.navigator.locks.request(this.#name, terms ?? { signal: turn.signal }, async (lock) => {
          began(lock !== null)
          if (lock !== null) await this.#read(turn.signal)
        })
      } catch (error) {
        // Else another tab has taken the lock, or this one does not wait any more.
        if ((error as Partial<Error> | null)?.name !== 'AbortError') this.#fail(error)
      }
      if (turn.signal.aborted) break
      turn.abort()
    }
    began(true)
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.end()
  }

  /** Reads for all tabs. */
  async #read(until: AbortSignal): Promise<void> {
    const channel = new BroadcastChannel(this.#name)
    let from = this.#position
    const tell = (told: ToldEvent | typeof NOWHERE) => channel.postMessage(told)
    channel.onmessage = ({ data }) => {
      if (data === QUESTION) tell(from === undefined ? NOWHERE : { from, id: from, data: undefined })
    }
    try {
      for await (const { id, data } of this.#open(this.#position, until)) {
        tell({ from: from ?? id, id, data })
        from = id
      }
    } finally {
      channel.close()
    }
  }
}

function isBefore(position: number | undefined, other: number | undefined): boolean {
  return position !== undefined && other !== undefined && position < other
}
