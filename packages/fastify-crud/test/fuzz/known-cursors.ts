import type { Random } from '../../../../test/storm/random.ts'

/** A page that has one behind it. */
export interface KnownPage {
  /** The caller's name. */
  readonly by: string
  readonly path: string
  /** The parts of its query that the next page shares. */
  readonly query: readonly string[]
  readonly next: string
}

/** The cursors that answers have had so far. */
export interface KnownCursors {
  /** Remembers the cursor of an answer to a request of that caller for that URL, if it has one. */
  learn(by: string, url: string, body: unknown): void
  /** A page that mostly that caller has been shown; undefined if there was none. */
  page(by: string): KnownPage | undefined
}

const MOST_KEPT = 20

export function knownCursors(random: Random): KnownCursors {
  const pages: KnownPage[] = []
  return {
    learn(by, url, body) {
      const { next } = body as { next?: unknown }
      if (typeof next !== 'string') return
      const [path = '', search = ''] = url.split('?')
      const query = search.split('&').filter((part) => part !== '' && !/^(?:after|offset)=/.test(part))
      pages.push({ by, path, query, next })
      if (pages.length > MOST_KEPT) pages.shift()
    },
    page(by) {
      const own = random.chance(0.6) ? random.pick(pages.filter((page) => page.by === by)) : undefined
      return own ?? random.pick(pages)
    },
  }
}
