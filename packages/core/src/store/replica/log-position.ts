import { sql } from 'kysely'
import { UnreadError } from '../../session/retries.ts'
import type { AnyKysely } from '../../sql/dialect/database.ts'
import type { JsonStore } from '../json-store.ts'

// A position in the log of a PostgreSQL server (`pg_lsn`): where a write stands, and how far a replica has repeated the
// writes. https://www.postgresql.org/docs/current/datatype-pg-lsn.html

/** The position as a number; undefined for a text that is none. */
export function readPosition(text: string): bigint | undefined {
  const [, high, low] = /^([0-9a-f]{1,8})\/([0-9a-f]{1,8})$/i.exec(text) ?? []
  return high === undefined || low === undefined ? undefined : (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

/** How often a replica is asked while a request waits for it, in ms. */
const EVERY_MS = 10

interface Waiting {
  readonly position: bigint
  readonly tell: (isReached: boolean) => void
}

/** Waits until a replica has repeated writes. However many wait, it is asked once at a time, and no one holds a
 * connection. */
export class ReplayWatch {
  readonly #db: AnyKysely
  #known = 0n
  #isAsking = false
  readonly #waiting = new Set<Waiting>()

  constructor(db: AnyKysely) {
    this.#db = db
  }

  /** Whether the replica reaches the position in so many ms. */
  reaches(position: bigint, within: number): Promise<boolean> {
    if (position <= this.#known) return Promise.resolve(true)
    return new Promise((resolve) => {
      const leave = (isReached: boolean) => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
        resolve(isReached)
      }
      const waiting = { position, tell: leave }
      const timer = setTimeout(() => leave(false), within)
      this.#waiting.add(waiting)
      if (!this.#isAsking) this.#ask()
    })
  }

  async #ask(): Promise<void> {
    this.#isAsking = true
    while (this.#waiting.size > 0) {
      const reached = await replayed(this.#db).catch(() => undefined)
      if (reached !== undefined && reached > this.#known) this.#known = reached
      // It cannot say how far it is, so nobody waits for it.
      for (const { position, tell } of this.#waiting)
        if (reached === undefined || position <= this.#known) tell(reached !== undefined)
      if (this.#waiting.size > 0) await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
    }
    this.#isAsking = false
  }
}

/** A replica that has become the primary has all that it knows. */
async function replayed(db: AnyKysely): Promise<bigint | undefined> {
  const { rows } = await sql<{ position: string | null }>`
    select (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_insert_lsn() end)::text as position`.execute(
    db.withoutPlugins(),
  )
  const position = rows[0]?.position ?? undefined
  return position === undefined ? undefined : readPosition(position)
}

/**
 * A store that reads from a replica, as long as that can be read, and `isReady` says so. All else, and what could not
 * be read there, goes to the primary.
 */
export function withReplica(primary: JsonStore, replica: JsonStore, isReady: () => Promise<boolean>): JsonStore {
  const read = async <Result>(of: (store: JsonStore) => Promise<Result>): Promise<Result> => {
    if (!(await isReady())) return await of(primary)
    try {
      return await of(replica)
    } catch (error) {
      if (error instanceof UnreadError) return await of(primary)
      throw error
    }
  }
  return {
    ...primary,
    find: (...given) => read((store) => store.find(...given)),
    list: (...given) => read((store) => store.list(...given)),
    group: (...given) => read((store) => store.group(...given)),
  }
}
