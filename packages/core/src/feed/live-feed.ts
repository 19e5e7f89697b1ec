import { CrudError, changesGone } from '../errors.ts'
import type { HistoryRow } from '../history/history-row.ts'
import type { Model } from '../model/model.ts'
import type { AnyKysely } from '../sql/dialect/database.ts'
import { keptForDatabase } from '../sql/dialect/kept-for-database.ts'
import { FollowedHistory, isMark, SettledWrites, settledPosition } from './settled-writes.ts'
import { onWrite } from './wake-readers.ts'

/** Some writes, and the positions before and behind them. */
export interface FeedPart {
  readonly from: number
  readonly to: number
  readonly rows: readonly HistoryRow[]
}

/** Who follows a feed. */
export interface FeedListener {
  /** Milliseconds between two looks at the database, at most. */
  readonly poll: number
  /** The feed has gone on. */
  news(): void
  /** The database could not be asked. It is asked again later. */
  failed(error: unknown): void
}

/** So many writes are read at once, and so many are kept for those who are not behind. */
const AT_ONCE = 50
const MOST_KEPT = 200

/** So long it takes until a missing position is asked for again, in milliseconds: at first, and each time twice as
 * long. */
const FIRST_RETRY = 10

/** The most milliseconds that a timer takes. */
const LONGEST_TIMER = 2 ** 31 - 1

/** Milliseconds between two looks at the database, if nothing else is said. */
export const DEFAULT_POLL = 1_000

/**
 * The writes of a database as they happen: one for each process and database, whoever follows it. It looks at the
 * database only while somebody does.
 */
export class LiveFeed {
  readonly #db: AnyKysely
  readonly #history: FollowedHistory
  readonly #listeners = new Set<FeedListener>()
  /** Undefined while nobody follows. */
  #run: Run | undefined

  constructor(db: AnyKysely, model: Model) {
    this.#db = db
    this.#history = new FollowedHistory(db, model)
  }

  /** All up to it was read. */
  get position(): number {
    return this.#run?.position ?? 0
  }

  /**
   * Begins to follow. Resolves, when all is known that was written until now, to the position from which on the
   * listener is told of news: `after`, or the present one. Fails with `CRUD_ERR_GONE` if writes behind `after` were
   * removed. {@link leave} is to be called in the end, however this ends.
   */
  async follow(listener: FeedListener, after: number | undefined): Promise<number> {
    this.#listeners.add(listener)
    this.#run ??= new Run(this.#db, this.#history, this.#listeners)
    const run = this.#run
    await run.started
    run.wait()
    if (after === undefined) return run.position
    await this.#history.checkPosition(after)
    return after
  }

  leave(listener: FeedListener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    this.#run?.end()
    this.#run = undefined
  }

  /** The writes behind a position that is not the last. All that are there at once get the same part. */
  async after(position: number): Promise<FeedPart> {
    const kept = this.#run?.partFrom(position)
    if (kept !== undefined) return kept
    const until = this.position
    const rows = await this.#history.writesFrom(position, AT_ONCE)
    if (rows.some(isMark)) throw new CrudError(changesGone(position))
    const before = rows.filter((row) => row.position <= until)
    const to = before.length === AT_ONCE ? (before.at(-1) as HistoryRow).position : until
    return { from: position, to, rows: before }
  }
}

/** One time in which a feed is followed. */
class Run {
  readonly started: Promise<void>
  readonly #writes: Promise<SettledWrites>
  readonly #listeners: ReadonlySet<FeedListener>
  readonly #stopWaking: () => void
  readonly #parts: FeedPart[] = []
  position = 0
  #timer: NodeJS.Timeout | undefined
  #isLooking = false
  /** Something was written while it looked. */
  #looksAgain = false
  #isOver = false
  #retries = 0

  constructor(db: AnyKysely, history: FollowedHistory, listeners: ReadonlySet<FeedListener>) {
    this.#listeners = listeners
    this.#stopWaking = onWrite(db, () => this.#look())
    this.#writes = settledPosition(history, () => this.#pause()).then((position) => {
      this.position = position
      return new SettledWrites(history, position)
    })
    this.started = this.#writes.then(() => this.wait())
  }

  end(): void {
    this.#isOver = true
    this.#stopWaking()
    clearTimeout(this.#timer)
  }

  /** Undefined: what follows on the position is not kept. */
  partFrom(position: number): FeedPart | undefined {
    const part = this.#parts.findLast(({ from, to }) => from <= position && position < to)
    if (part === undefined || part.from === position) return part
    return { from: position, to: part.to, rows: part.rows.filter((row) => row.position > position) }
  }

  /** Resolves to whether anybody still follows. */
  #pause(): Promise<boolean> {
    return new Promise((resolve) => setTimeout(() => resolve(!this.#isOver), FIRST_RETRY))
  }

  /** Until its listeners want it to look again. */
  wait(): void {
    clearTimeout(this.#timer)
    if (this.#isOver) return
    const longest = [...this.#listeners].reduce((least, { poll }) => Math.min(least, poll), LONGEST_TIMER)
    const delay = this.#retries === 0 ? longest : Math.min(longest, FIRST_RETRY * 2 ** (this.#retries - 1))
    this.#timer = setTimeout(() => this.#look(), delay)
  }

  async #look(): Promise<void> {
    if (this.#isLooking) {
      this.#looksAgain = true
      return
    }
    this.#isLooking = true
    try {
      const writes = await this.#writes
      do {
        this.#looksAgain = false
        await this.#readAll(writes)
      } while (this.#looksAgain && !this.#isOver)
      this.#retries = writes.isWaiting ? this.#retries + 1 : 0
    } catch (error) {
      this.#retries = 0
      for (const listener of this.#listeners) listener.failed(error)
    } finally {
      this.#isLooking = false
      this.wait()
    }
  }

  async #readAll(writes: SettledWrites): Promise<void> {
    while (!this.#isOver) {
      const rows = await writes.next(AT_ONCE)
      if (rows.length === 0) return
      const to = (rows.at(-1) as HistoryRow).position
      this.#parts.push({ from: this.position, to, rows: rows.filter((row) => !isMark(row)) })
      let kept = this.#parts.reduce((sum, part) => sum + part.rows.length, 0)
      while (kept > MOST_KEPT && this.#parts.length > 1) kept -= (this.#parts.shift() as FeedPart).rows.length
      this.position = to
      for (const listener of this.#listeners) listener.news()
    }
  }
}

const feeds = keptForDatabase((): { feed?: LiveFeed } => ({}))

/** The feed of a database. Throws a TypeError where it cannot be followed. */
export function feedOf(db: AnyKysely, model: Model): LiveFeed {
  const kept = feeds(db)
  kept.feed ??= new LiveFeed(db, model)
  return kept.feed
}
