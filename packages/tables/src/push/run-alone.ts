import type { AnyKysely } from '@fastify-crud/core'
import {
  anySession,
  databaseOf,
  dialectOf,
  engineOf,
  transaction,
  withRetries,
  withTransaction,
} from '@fastify-crud/core/internal'
import { sql } from 'kysely'

/** Any number that no other program locks: "fcrd" in ASCII. */
const POSTGRES_LOCK = 0x66637264

const READ_COMMITTED = 'begin isolation level read committed'

/**
 * Runs the work in one transaction (or in the given one) while no other process runs it: what the work reads stays true
 * while it creates. SQLite lets one transaction write at a time anyway.
 */
export function runAlone(db: AnyKysely, work: (transaction: AnyKysely) => Promise<void>): Promise<void> {
  const isPostgres = databaseOf(db) === 'postgres'
  // The timeouts of the caller's transaction are the caller's affair.
  if (db.isTransaction) return isPostgres ? lockAndRun(db, work) : work(db)
  // Behind the lock, the work must see what the last one has made: whatever else is serializable, this is not.
  const begin = isPostgres && engineOf(db).advisoryLocks ? READ_COMMITTED : dialectOf(db).begin
  const inOne = (on: AnyKysely) =>
    withTransaction(anySession(on), transaction(begin), () => (isPostgres ? lockPatientlyAndRun(on, work) : work(on)))
  return withRetries(db, () => db.connection().execute(inOne))
}

async function lockAndRun(db: AnyKysely, work: (transaction: AnyKysely) => Promise<void>): Promise<void> {
  if (engineOf(db).advisoryLocks) await sql`select pg_advisory_xact_lock(${sql.lit(POSTGRES_LOCK)})`.execute(db)
  await work(db)
}

/**
 * The timeouts of a session are meant for requests. To wait for another process, or to build an index of a large table,
 * may take longer. But no other client can use a table while a statement waits to change it, so that wait keeps its
 * limit.
 */
async function lockPatientlyAndRun(db: AnyKysely, work: (transaction: AnyKysely) => Promise<void>): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(db)
  await sql`set local lock_timeout = 0`.execute(db)
  await lockAndRun(db, async (transaction) => {
    await sql`set local lock_timeout to default`.execute(db)
    await work(transaction)
  })
}

/**
 * One change that `pushTables` has made.
 *
 * @example
 * const change: TableChange = {
 *   table: 'book',
 *   column: 'heading',
 *   reason: 'column book.heading is missing',
 *   statement: 'ALTER TABLE "book" ADD COLUMN "heading" text',
 *   hint: "if it is book.title under a new name, drop it, and say was: 'title'",
 * }
 */
export interface TableChange {
  /** The table, as the database calls it. */
  readonly table: string
  /** The column, as the database calls it, where it is about one. */
  readonly column?: string
  /** Why, in a few words. */
  readonly reason: string
  /** The SQL that was run. */
  readonly statement: string
  /** What its author may have meant instead. */
  readonly hint?: string
}
