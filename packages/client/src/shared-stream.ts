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
  { navigator: { locks } }: Tabs,
  name: string,
  open: OpenStream,
  after: number | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerEvent, void, undefined> {
  const inbox: ToldEvent[] = []
  const listens = new BroadcastChannel(name)
  const ends = new AbortController()
  let position = after
  /** The last position that was told. */
  let head: number | undefined
  let failure: { readonly error: unknown } | undefined
  let turn = new AbortController()
  let catchUp: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let wake = () => {}
  const end = () => ends.abort()

  /** Reads for all tabs. */
  const read = async (until: AbortSignal): Promise<void> => {
    const tells = new BroadcastChannel(name)
    let from = position
    const tell = (event: ToldEvent) => tells.postMessage(event)
    const answer = () => (from === undefined ? tells.postMessage(NOWHERE) : tell({ from, id: from, data: undefined }))
    tells.onmessage = ({ data }) => {
      if (data === QUESTION) answer()
    }
    try {
      for await (const { id, data } of open(position, until)) {
        tell({ from: from ?? id, id, data })
        from = id
      }
    } finally {
      tells.close()
    }
  }

  /** Waits for the lock, and reads. `began`: it is known whether the lock was free. */
  const serve = async (first: LockTerms, began: (isFree: boolean) => void): Promise<void> => {
    for (let terms = first; !ends.signal.aborted; terms = {}) {
      const mine = new AbortController()
      turn = mine
      const isWaiting = Object.keys(terms).length === 0
      try {
        await locks.request(name, isWaiting ? { signal: mine.signal } : terms, async (lock) => {
          began(lock !== null)
          if (lock !== null) await read(mine.signal)
        })
      } catch (error) {
        // Another tab has taken the lock, or this one does not wait any more.
        if ((error as Partial<Error> | null)?.name !== 'AbortError') failure ??= { error }
        if (failure !== undefined) end()
      }
      if (mine.signal.aborted) return
      mine.abort()
    }
  }

  const ask = () => {
    listens.postMessage(QUESTION)
    timer = setTimeout(steal, PATIENCE)
  }
  const steal = () => {
    turn.abort()
    void serve({ steal: true }, () => {})
  }
  listens.onmessage = ({ data }) => {
    if (data === QUESTION) return
    clearTimeout(timer)
    timer = setTimeout(ask, QUIET)
    if (data === NOWHERE) return
    head = (data as ToldEvent).id
    inbox.push(data as ToldEvent)
    if (inbox.length > MOST_KEPT) inbox.length = 0
    if (position !== undefined && !isBefore(position, head)) catchUp?.abort()
    wake()
  }

  try {
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
    ask()
    const isFree = new Promise<boolean>((resolve) => {
      ends.signal.addEventListener('abort', () => {
        turn.abort()
        catchUp?.abort()
        wake()
        resolve(true)
      })
      void serve({ ifAvailable: true }, resolve)
    })
    // Only the service knows where it is now, and so from when on this tab wants to be told.
    let isBehind = !(await isFree) && position === undefined
    while (!ends.signal.aborted) {
      const told = isBehind ? undefined : inbox.shift()
      isBehind ||= told === undefined ? isBefore(position, head) : isBefore(position, told.from)
      if (isBehind) {
        isBehind = false
        catchUp = new AbortController()
        for await (const event of open(position, catchUp.signal)) {
          position = event.id
          yield event
          if (head !== undefined && !isBefore(position, head)) break
        }
      } else if (told === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      } else if (position === undefined || isBefore(position, told.id)) {
        position = told.id
        yield told
      }
    }
    if (failure !== undefined) throw failure.error
  } finally {
    signal?.removeEventListener('abort', end)
    end()
    clearTimeout(timer)
    listens.close()
  }
}

function isBefore(position: number | undefined, other: number | undefined): boolean {
  return position !== undefined && other !== undefined && position < other
}
