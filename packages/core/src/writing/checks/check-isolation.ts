import { sql } from 'kysely'
import type { QueryContext } from '../../sql/context.ts'
import type { AnyKysely } from '../../sql/dialect/database.ts'

/** Transactions of applications that are known to be as those of the service. */
const known = new WeakSet<AnyKysely>()

/**
 * Throws a TypeError in a transaction of the application that is not isolated as the service's own ones. One that goes on seeing what was there
 * when it began would plan a write from what another writer has changed while it waited for a lock, without an error: serializable transactions
 * notice only each other.
 */
export async function checkIsolation({ db, dialect }: QueryContext): Promise<void> {
  const { isolation: wanted } = dialect
  if (wanted === undefined || known.has(db)) return
  const { rows } = await sql<Record<string, string>>`show transaction_isolation`.execute(db.withoutPlugins())
  const isolation = rows[0]?.transaction_isolation
  // To PostgreSQL, these two are the same.
  if (isolation !== wanted && !(isolation === 'read uncommitted' && wanted === 'read committed')) {
    const hint = wanted === 'read committed' && isolation === 'serializable' ? `; ${SERIALIZABLE}` : ''
    throw new TypeError(
      `the transaction is in '${isolation}', where a write could undo what others have done meanwhile; begin it in '${wanted}'${hint}`,
    )
  }
  known.add(db)
}

const SERIALIZABLE = "or have the service write so, too: openPostgres(url, { engine: { isolation: 'serializable' } })"
