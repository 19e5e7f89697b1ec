import { setTimeout as wait } from 'node:timers/promises'
import {
  busy,
  CrudError,
  forbiddenByDatabase,
  poolFull,
  type Refusal,
  serverFull,
  tookTooLong,
  unavailable,
  unreachable,
  unsupported,
} from '../errors.ts'
import type { AnyKysely } from '../sql/dialect/database.ts'
import { dialectOf } from '../sql/dialect/dialects.ts'
import { typesOfDatabase } from '../sql/dialect/postgres/learned-types.ts'
import { type DatabaseErrorKind, databaseErrorKind, SUBJECTS } from './database-errors.ts'
import { causeOf } from './session.ts'

/** How often work is tried again when others were in the way. The waits between the tries grow. */
const RETRIES = 8

/** The same where transactions that do not fit into one order fail, rather than wait for each other. */
const SERIALIZABLE_RETRIES = 30
const FIRST_WAIT_MS = 5
const LONGEST_WAIT_MS = 250

/** No try begins later than this. Each may take long: a driver may wait for a lock itself, and SQLite's stops the
 * process meanwhile. */
const NO_TRY_AFTER_MS = 5_000

/**
 * Does work, and tries it again while the database says that others are in the way or that the connection was lost. The
 * work is told how often it was tried before.
 *
 * Fails with a CrudError `CRUD_ERR_BUSY` if it never gets through.
 */
export async function withRetries<Result>(db: AnyKysely, work: (retries: number) => Promise<Result>): Promise<Result> {
  const begun = performance.now()
  for (let attempt = 0; ; attempt++) {
    try {
      return await work(attempt)
    } catch (error) {
      if (isMadeAnew(db, error, attempt)) continue
      const isLast = attempt >= mostRetries(db) || performance.now() - begun > NO_TRY_AFTER_MS
      checkRetry(db, error, isLast)
    }
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt)
    await wait(longest / 2 + Math.random() * (longest / 2))
  }
}

function mostRetries(db: AnyKysely): number {
  return dialectOf(db).isolation === 'serializable' ? SERIALIZABLE_RETRIES : RETRIES
}

/**
 * Does work once, on a server that another one can stand in for. Fails with an {@link UnreadError} where
 * {@link withRetries} would try again, and where the server is not there.
 */
export async function atFirstTry<Result>(db: AnyKysely, work: (retries: number) => Promise<Result>): Promise<Result> {
  try {
    return await work(0)
  } catch (error) {
    const kind = databaseErrorKind(error instanceof CrudError ? error.cause : causeOf(error))
    if (kind === 'outdated' || kind === 'incomparable') typesOfDatabase(db).forget()
    if (mayBeReadElsewhere(kind)) throw new UnreadError({ cause: error })
    checkRetry(db, error, true)
    throw error
  }
}

/** Whether another server may not have the same trouble. A read that takes too long takes as long there. */
function mayBeReadElsewhere(kind: DatabaseErrorKind): boolean {
  return kind === 'outdated' || (kind !== 'timeout' && SUBJECTS[kind] === 'moment')
}

/** Another server is to be read. */
export class UnreadError extends Error {
  override readonly name = 'UnreadError'

  constructor(options: ErrorOptions) {
    super('the replica could not be read', options)
  }
}

/** How often statements are made anew, each time on a connection that may have outdated ones. */
const MOST_MADE_ANEW = 4

/**
 * A table may have changed since the statement was made for it, and its types were learned. Then both are done anew. So
 * they are once where types are compared that have no such comparison.
 */
function isMadeAnew(db: AnyKysely, error: unknown, attempt: number): boolean {
  // A read has been refused for it by then.
  const kind = databaseErrorKind(error instanceof CrudError ? error.cause : causeOf(error))
  if (kind !== 'outdated' && kind !== 'incomparable') return false
  typesOfDatabase(db).forget()
  return !db.isTransaction && attempt < (kind === 'outdated' ? MOST_MADE_ANEW : 1)
}

/**
 * What the client is told of a failure after which nothing is tried again: a CrudError where the database is busy or
 * away, denies it or cannot do it, else the error itself.
 */
export function finalFailure(db: AnyKysely, error: unknown): unknown {
  try {
    checkRetry(db, error, true)
    return error
  } catch (final) {
    return final
  }
}

/** Returns if another try may help. Else throws what the client is told. */
function checkRetry(db: AnyKysely, error: unknown, isLast: boolean): void {
  const kind = databaseErrorKind(causeOf(error))
  if (kind === 'forbidden') throw new CrudError(forbiddenByDatabase(), { cause: causeOf(error) })
  const atOnce = AT_ONCE[kind]
  if (atOnce !== undefined) throw new CrudError(atOnce(), { cause: error })
  const atLast = AT_LAST[kind]
  // A failed statement has ended the caller's transaction: only the caller can begin again.
  if (atLast === undefined || db.isTransaction) throw error
  if (isLast) throw new CrudError(atLast(), { cause: error })
}

type Refusals = Readonly<Partial<Record<DatabaseErrorKind, () => Refusal>>>

/** What the client is told where another try would not help. */
const AT_ONCE: Refusals = {
  timeout: tookTooLong,
  poolFull,
  unconnected: unreachable,
  unavailable,
  unsupported,
}

/** What the client is told where no try has helped. */
const AT_LAST: Refusals = { busy, disconnected: unreachable, serverFull, stale: unavailable }
