import { sql } from 'kysely'
import { queryContext } from '../query/context.ts'
import { type AnyKysely, databaseOf } from '../query/database.ts'
import { inTransaction, persistently } from '../transaction.ts'

/** Any number will do that nobody else locks: "fcrd" in ASCII. */
const POSTGRES_LOCK = 0x66637264

/**
 * Runs the work in one transaction (or in the given one) while no other process runs it: what the work reads stays true
 * while it creates. SQLite lets one transaction write at a time anyway.
 */
export function runAlone(db: AnyKysely, work: (transaction: AnyKysely) => Promise<void>): Promise<void> {
  return persistently(db, () =>
    inTransaction(queryContext(db), async (transaction) => {
      if (databaseOf(db) === 'postgres') await lock(transaction, db.isTransaction)
      await work(transaction)
    }),
  )
}

async function lock(transaction: AnyKysely, isGiven: boolean): Promise<void> {
  // at a higher level the catalogs would be read as they were before the lock was granted
  if (!isGiven) await sql`set transaction isolation level read committed`.execute(transaction)
  await sql`select pg_advisory_xact_lock(${sql.lit(POSTGRES_LOCK)})`.execute(transaction)
}
