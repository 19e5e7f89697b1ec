import { setTimeout as wait } from 'node:timers/promises'
import { busy, CrudError, unavailable, unreachable } from '../errors.ts'
import type { AnyKysely } from '../query/dialect/database.ts'
import { databaseErrorKind } from './database-errors.ts'
import { orElse, type PromiseOrValue } from './promise-or-value.ts'
import { causeOf } from './step-error.ts'

/** How often work that others got in the way of is tried again, and how long it waits in between. */
const RETRIES = 8
const FIRST_WAIT_MS = 5
const LONGEST_WAIT_MS = 250

/**
 * After so long no further try begins. A driver may wait for a lock itself; one for SQLite lets nobody else do anything
 * meanwhile.
 */
const LONGEST_MS = 5_000

/**
 * Does work, and tries it again while the database says that others are in the way or that the connection was lost.
 *
 * Fails with a CrudError `CRUD_ERR_BUSY` if it never gets through.
 */
export function withRetries<Result>(db: AnyKysely, work: () => PromiseOrValue<Result>): PromiseOrValue<Result> {
  const begun = performance.now()
  return orElse(work, (error) => tryAgain(db, work, error, begun))
}

/** `begun`: when the first try, which failed with the error, began, by `performance.now()`. */
async function tryAgain<Result>(
  db: AnyKysely,
  work: () => PromiseOrValue<Result>,
  failed: unknown,
  begun: number,
): Promise<Result> {
  let error = failed
  for (let attempt = 0; ; attempt++) {
    const kind = databaseErrorKind(causeOf(error))
    if (kind === 'timeout') throw new CrudError(busy(), { cause: error })
    if (kind === 'unavailable') throw new CrudError(unavailable(), { cause: error })
    if (kind !== 'busy' && kind !== 'disconnected') throw error
    // A failed statement has ended the caller's transaction: only the caller can begin again.
    if (db.isTransaction) throw error
    const isLast = attempt >= RETRIES || performance.now() - begun > LONGEST_MS
    if (isLast) throw new CrudError(kind === 'busy' ? busy() : unreachable(), { cause: error })
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt)
    await wait(longest / 2 + Math.random() * (longest / 2))
    try {
      return await work()
    } catch (next) {
      error = next
    }
  }
}
