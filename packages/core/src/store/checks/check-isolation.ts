import { sql } from 'kysely'
import type { QueryContext } from '../../query/context.ts'
import type { AnyKysely } from '../../query/dialect/database.ts'

/** Transactions of applications whose isolation is known to be one that writes can be planned in. */
const known = new WeakSet<AnyKysely>()

/**
 * Throws a TypeError in a transaction of the application that goes on seeing what was there when it began: a write that has waited for a
 * lock would be planned from what another writer has changed meanwhile, without an error.
 */
export async function checkIsolation({ db, dialect }: QueryContext): Promise<void> {
  if (!dialect.locksRows || known.has(db)) return
  const { rows } = await sql<{
    isolation: string
  }>`select current_setting('transaction_isolation') as isolation`.execute(db.withoutPlugins())
  if (rows[0]?.isolation === 'repeatable read') {
    throw new TypeError(
      "the transaction is in 'repeatable read', where a write could undo what others have done meanwhile; begin it in 'read committed' or 'serializable'",
    )
  }
  known.add(db)
}
