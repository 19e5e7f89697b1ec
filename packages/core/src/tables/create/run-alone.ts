import { sql } from 'kysely'
import { withRetries } from '../../connection/retries.ts'
import { anySession } from '../../connection/session-pool.ts'
import { inTransaction, transaction } from '../../connection/transaction.ts'
import { queryContext } from '../../query/context.ts'
import { type AnyKysely, databaseOf } from '../../query/dialect/database.ts'

/** Any number will do that nobody else locks: "fcrd" in ASCII. */
const POSTGRES_LOCK = 0x66637264

/**
 * Runs the work in one transaction (or in the given one) while no other process runs it: what the work reads stays true
 * while it creates. SQLite lets one transaction write at a time anyway.
 */
export function runAlone(db: AnyKysely, work: (transaction: AnyKysely) => Promise<void>): Promise<void> {
  const alone = async (on: AnyKysely) => {
    if (databaseOf(db) === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(POSTGRES_LOCK)})`.execute(on)
    await work(on)
  }
  if (db.isTransaction) return alone(db)
  const { begin } = queryContext(db).dialect
  const inOne = (on: AnyKysely) =>
    inTransaction(anySession(on), transaction(begin), async () => {
      await alone(on)
      return async () => {}
    })
  return withRetries(db, () => db.connection().execute(inOne))
}
