import { setTimeout as wait } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import { StepError } from './apply-plan.ts'
import { databaseErrorKind } from './database-errors.ts'
import { busy, CrudError } from './errors.ts'
import type { QueryContext } from './query/context.ts'
import type { AnyKysely } from './query/database.ts'

/** How often a write that other writers got in the way of is tried again, and how long it waits in between. */
export const RETRIES = 8
const FIRST_WAIT_MS = 5
const LONGEST_WAIT_MS = 250

/** A commit was sent, but no answer came: whether it was done is not known, so nothing may be tried again. */
export class CommitUnknownError extends Error {
  override readonly name = 'CommitUnknownError'
}

/**
 * Does work in one transaction on one connection. Commits if it resolves, rolls back if it throws.
 *
 * An instance that is a transaction already is used as it is; whoever began it ends it.
 */
export async function inTransaction<Result>(
  { db, dialect }: QueryContext,
  work: (on: AnyKysely) => Promise<Result>,
): Promise<Result> {
  if (db.isTransaction) return work(db)
  return db.connection().execute(async (on) => {
    await runPlain(on, dialect.begin)
    let result: Result
    try {
      result = await work(on)
    } catch (error) {
      await rollBack(on)
      throw error
    }
    await commit(on)
    return result
  })
}

async function runPlain(on: AnyKysely, statement: string): Promise<void> {
  await on.getExecutor().executeQuery(CompiledQuery.raw(statement))
}

async function commit(on: AnyKysely): Promise<void> {
  try {
    await runPlain(on, 'commit')
  } catch (error) {
    if (databaseErrorKind(error) === 'disconnected') {
      throw new CommitUnknownError('the connection was lost while committing', { cause: error })
    }
    await rollBack(on)
    throw error
  }
}

async function rollBack(on: AnyKysely): Promise<void> {
  try {
    await runPlain(on, 'rollback')
  } catch {
    // The transaction is gone with its connection, or the database has ended it already: what counts is the first error.
  }
}

/**
 * Tries work again while the database says that other writers are in the way or that the connection was lost.
 *
 * @throws CrudError `CRUD_ERR_BUSY` if it never got through.
 */
export async function persistently<Result>(db: AnyKysely, work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const kind = databaseErrorKind(error instanceof StepError ? error.cause : error)
      if (kind !== 'busy' && kind !== 'disconnected') throw error
      // A failed statement has ended the caller's transaction: only the caller can begin again.
      if (db.isTransaction) throw error
      if (attempt >= RETRIES) throw new CrudError(busy(), { cause: error })
      const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt)
      await wait(longest / 2 + Math.random() * (longest / 2))
    }
  }
}
