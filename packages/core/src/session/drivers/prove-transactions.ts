import { CompiledQuery, type DatabaseConnection } from 'kysely'
import { type AnyKysely, databaseOf } from '../../sql/dialect/database.ts'
import { dialectOf } from '../../sql/dialect/dialects.ts'
import { askOnce } from './driver-features.ts'

/**
 * Makes sure, once for each database, that statements of one connection are one transaction between `begin` and
 * `rollback`. Drivers that send each statement by itself, as those over HTTP do, take these words without an error, and
 * nothing that a write has done could be undone.
 *
 * @throws TypeError if they are not.
 */
export const proveTransactions: (db: AnyKysely) => Promise<void> = askOnce(async (db) => {
  const isSqlite = databaseOf(db) === 'sqlite'
  const isOne = isSqlite ? refusesToBeginTwice : hasOneTime
  await db.getExecutor().provideConnection(async (connection) => {
    await run(connection, isSqlite ? BEGIN : dialectOf(db).begin)
    try {
      if (!(await isOne(connection))) throw new TypeError(NO_TRANSACTIONS)
    } finally {
      // A connection that is lost has no transaction any more.
      await run(connection, 'rollback').catch(() => {})
    }
  })
})

/** Waits for no other writer. */
const BEGIN = 'begin'

async function refusesToBeginTwice(connection: DatabaseConnection): Promise<boolean> {
  return await run(connection, BEGIN).then(
    () => false,
    (error: unknown) => /within a transaction/i.test(String((error as Error).message)),
  )
}

/** In PostgreSQL, `now()` is when the transaction began. */
async function hasOneTime(connection: DatabaseConnection): Promise<boolean> {
  const [first, second] = [await run(connection, NOW), await run(connection, NOW)]
  return first === second
}

const NOW = 'select cast(now() as text) as at'

/** Returns what the only row has in the column `at`. */
async function run(connection: DatabaseConnection, sql: string): Promise<unknown> {
  const { rows } = await connection.executeQuery<{ at?: unknown }>(CompiledQuery.raw(sql))
  return rows[0]?.at
}

const NO_TRANSACTIONS =
  'the driver has no transactions: each statement is stored by itself, so a write that fails in the middle could not be undone. ' +
  'Use one that keeps a connection: openPostgres, or a Kysely instance over pg, postgres.js, PGlite or a WebSocket; openSqlite, better-sqlite3 or node:sqlite. ' +
  'Drivers that send statements over HTTP do not (D1, the HTTP drivers of Neon and libSQL)'
