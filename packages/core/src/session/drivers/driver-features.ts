import { CompiledQuery, sql } from 'kysely'
import { CrudError, poolFull } from '../../errors.ts'
import { type AnyKysely, databaseOf } from '../../sql/dialect/database.ts'
import { stateOfInstance } from '../../sql/dialect/kept-for-database.ts'
import type { Row } from '../../sql/text/prepare.ts'
import type { Pipeline } from '../postgres/pipeline/index.ts'
import type { DirectDatabase } from '../sqlite/direct-database.ts'

/**
 * The query that asks a driver for its {@link DriverFeatures}. A driver made by `keepStatements` answers it itself, in
 * the column `features`. From any other driver, the database answers with null.
 */
export const FEATURES_QUERY = 'select null as features'

/** What a driver offers beyond what Kysely's dialect uses. */
export interface DriverFeatures {
  /** PostgreSQL: sends several statements of this connection in one message. */
  readonly pipeline?: Pipeline | undefined
  /** PostgreSQL: the turns of reads that may take long, on all connections of the pool. */
  readonly turns?: Turns | undefined
  /** PostgreSQL: the turns of all but reads by ids, so that one connection is always for these. */
  readonly othersTurns?: Turns | undefined
  /** PostgreSQL: cancels the statement that runs on this connection, which nobody can use again then. */
  readonly cancel?: (() => Promise<void>) | undefined
  /** SQLite: the database itself, so that requests need not wait for Kysely's only connection. */
  readonly direct?: DirectDatabase | undefined
}

/** What a database and its driver say of themselves. */
interface DatabaseFacts {
  /** The driver keeps its prepared statements, by `keepStatements`. */
  readonly keepsStatements: boolean
  /** What PostgreSQL calls the encoding of the database. Any but `UTF8` cannot store, fold or count all letters.
   * Undefined on SQLite. */
  readonly encoding: string | undefined
}

/** Asks on one of the connections of a Kysely instance. */
export function factsOf(db: AnyKysely): Promise<DatabaseFacts> {
  return db.getExecutor().provideConnection(async (connection) => {
    const ask = async (sql: string) => (await connection.executeQuery<Row>(CompiledQuery.raw(sql))).rows[0] ?? {}
    const { features = null } = await ask(FEATURES_QUERY)
    const isPostgres = databaseOf(db) === 'postgres'
    const { name } = isPostgres ? await ask('select getdatabaseencoding() as name') : {}
    return { keepsStatements: features !== null, encoding: isPostgres ? String(name) : undefined }
  })
}

/** Returns a function that asks a database once for each Kysely instance, whatever transactions and copies it has. */
export function askOnce<Answer>(ask: (db: AnyKysely) => Promise<Answer>): (db: AnyKysely) => Promise<Answer> {
  const asked = stateOfInstance((): { answer?: Promise<Answer> | undefined } => ({}))
  return (db) => {
    const state = asked(db)
    if (state.answer === undefined) {
      state.answer = ask(db)
      // A server that could not be asked is asked again.
      state.answer.catch(() => {
        state.answer = undefined
      })
    }
    return state.answer
  }
}

interface Waiting {
  readonly begin: () => void
}

/** Turns for work that may take long: so many at a time, and whoever has waited longest has the next one. */
export class Turns {
  #free: number
  readonly #patience: number
  readonly #waiting = new Set<Waiting>()

  /** @param most turns at a time. @param patience how long one is waited for, in ms; 0: for ever. */
  constructor(most: number, patience: number) {
    this.#free = most
    this.#patience = patience
  }

  /**
   * Resolves when it is the caller's turn. Whoever has had it must {@link give} it back. Rejects with the reason of a
   * signal that is aborted meanwhile, and with `CRUD_ERR_BUSY` if it takes too long: then there is no turn to give
   * back.
   */
  take(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(signal.reason)
    if (this.#free > 0) {
      this.#free -= 1
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiting)
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      }
      const abort = () => {
        leave()
        reject(signal?.reason)
      }
      const giveUp = () => {
        leave()
        reject(new CrudError(poolFull()))
      }
      const waiting = {
        begin() {
          leave()
          resolve()
        },
      }
      const timer = this.#patience > 0 ? setTimeout(giveUp, this.#patience) : undefined
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiting.add(waiting)
    })
  }

  /** Does work in a turn, as soon as it has one. Rejects as {@link take} does, too. */
  async during<Result>(signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result> {
    await this.take(signal)
    try {
      return await work()
    } finally {
      this.give()
    }
  }

  give(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#free += 1
    else next.begin()
  }
}

/**
 * Whether the sessions of a database print moments as ISO 8601 does: `DateStyle` of PostgreSQL, which the server, the
 * database or the role may set. PostgreSQL is asked once for each Kysely instance.
 */
export function printsIso(db: AnyKysely): Promise<boolean> {
  return databaseOf(db) === 'sqlite' ? Promise.resolve(true) : hasIsoStyle(db)
}

const hasIsoStyle = askOnce(async (db) => {
  const { rows } = await sql<{ style: string }>`select current_setting('DateStyle') as style`.execute(
    db.withoutPlugins(),
  )
  return rows[0]?.style.startsWith('ISO') === true
})
