import { CrudError, changesGone } from '../errors.ts'
import { type HistoryRow, toHistoryRow } from '../history/history-row.ts'
import { missingTable } from '../history/keep-history.ts'
import type { Model } from '../model/model.ts'
import { withRetries } from '../session/retries.ts'
import type { Session } from '../session/session.ts'
import { sessionPool } from '../session/session-pool.ts'
import { queryContext } from '../sql/context.ts'
import { type AnyKysely, databaseOf } from '../sql/dialect/database.ts'
import { REPLICA } from '../sql/dialect/dialect.ts'
import { engineOf } from '../sql/dialect/postgres/engine.ts'
import { statementsOf } from '../sql/statements.ts'
import type { HistoryQueries } from '../sql/steps/history-queries.ts'
import { PRUNED } from '../sql/text/stored-rows.ts'

/** The history of a database, for who follows it. */
export class FollowedHistory {
  readonly #db: AnyKysely
  readonly #queries: HistoryQueries

  /** Throws a TypeError for a database of which nobody can follow the writes. */
  constructor(db: AnyKysely, model: Model) {
    if (db.isTransaction) throw new TypeError('changes: cannot be followed in a transaction, which sees no others')
    if (databaseOf(db) === 'postgres' && !engineOf(db).showsLocks) {
      throw new TypeError('changes: the engine has no pg_locks (`showsLocks: false`), so nobody knows which are all')
    }
    this.#db = db
    this.#queries = statementsOf(queryContext(db, { model })).history()
  }

  /** The writes behind a position, in order: also such as come behind others that are not committed yet. */
  async writesFrom(position: number, most: number): Promise<readonly HistoryRow[]> {
    const rows = await this.#ask((session) => session.rows(this.#queries.writesFrom, { position, most }))
    return rows.map(toHistoryRow)
  }

  /** The last position; 0: there is none. */
  async lastPosition(): Promise<number> {
    const [row] = await this.#ask((session) => session.rows(this.#queries.lastPosition, {}))
    return Number(row?.position ?? 0)
  }

  /** The transactions that have drawn a position, or are about to. */
  async writers(): Promise<ReadonlySet<string>> {
    const { writers } = this.#queries
    if (writers === undefined) return NOBODY
    const rows = await this.#ask((session) => session.rows(writers, {}))
    const found = new Set(rows.map(({ writer }) => String(writer)))
    if (found.has(REPLICA)) throw new TypeError(NOT_ON_REPLICA)
    return found
  }

  /** Fails with `CRUD_ERR_GONE` if writes behind a position were removed as too old, or if this database has none
   * such. */
  async checkPosition(position: number): Promise<void> {
    const [pruned] = await this.#ask((session) => session.rows(this.#queries.isPruned, { position }))
    const [last] = await this.#ask((session) => session.rows(this.#queries.lastDrawn, {}))
    const isKnown = last === undefined ? position === 0 : last.drawn === null || position <= Number(last.drawn)
    if (pruned !== undefined || !isKnown) throw new CrudError(changesGone(position))
  }

  async #ask<Result>(read: (session: Session) => Promise<Result>): Promise<Result> {
    try {
      return await withRetries(this.#db, () => sessionPool(this.#db).use(undefined, read))
    } catch (error) {
      throw missingTable(error) ?? error
    }
  }
}

const NOT_ON_REPLICA =
  'changes: cannot be followed on a replica, which does not know which writes are still to come: give the primary'

const NOBODY: ReadonlySet<string> = new Set()

/** Whether a row stands for writes that were removed as too old. */
export function isMark({ operation }: HistoryRow): boolean {
  return operation === PRUNED
}

/** Before such a position, positions are missing, and these transactions may still come with them. */
interface Gap {
  readonly until: number
  readonly writers: ReadonlySet<string>
}

/**
 * Reads the writes of a history in the order of their positions, each once. Writers draw positions before they commit,
 * so one may commit behind another that has drawn a later one. At a position that is missing, reading stops until all
 * have ended that were writing when it was first missed: what is missing then was rolled back or removed.
 */
export class SettledWrites {
  readonly #history: FollowedHistory
  #position: number
  /** All up to it are there that will ever be. */
  #settled: number
  #gap: Gap | undefined

  constructor(history: FollowedHistory, position: number) {
    this.#history = history
    this.#position = position
    this.#settled = position
  }

  /** Whether a position is missing. */
  get isWaiting(): boolean {
    return this.#gap !== undefined
  }

  /** The next writes, at most so many; none: there are none for now. */
  async next(most: number): Promise<readonly HistoryRow[]> {
    for (;;) {
      const rows = await this.#history.writesFrom(this.#position, most)
      const first = this.#firstBehindGap(rows)
      const before = first === -1 ? rows : rows.slice(0, first)
      const settles = first !== -1 && (await this.#settles((rows.at(-1) as HistoryRow).position))
      this.#position = before.at(-1)?.position ?? this.#position
      // What was missing may have come in between: it is read again.
      if (before.length > 0 || !settles) return before
    }
  }

  #firstBehindGap(rows: readonly HistoryRow[]): number {
    let last = Math.max(this.#position, this.#settled)
    return rows.findIndex(({ position }) => {
      const isBehind = position > last + 1
      last = Math.max(position, last)
      return isBehind
    })
  }

  /** Whether nothing is missing any more up to a position that is there; `last`: the last of them. */
  async #settles(last: number): Promise<boolean> {
    const writers = await this.#history.writers()
    this.#gap ??= { until: last, writers }
    if ([...this.#gap.writers].some((one) => writers.has(one))) return false
    this.#settled = this.#gap.until
    this.#gap = undefined
    return true
  }
}

/**
 * Waits until all have ended that are writing now. Resolves to the last position before that. `pause`: before it asks
 * again; resolves to whether that is still wanted.
 */
export async function settledPosition(history: FollowedHistory, pause: () => Promise<boolean>): Promise<number> {
  const position = await history.lastPosition()
  let open = await history.writers()
  while (open.size > 0 && (await pause())) {
    const now = await history.writers()
    open = new Set([...open].filter((one) => now.has(one)))
  }
  return position
}
