import { type AnyKysely, databaseOf } from '../../query/dialect/database.ts'
import type { RuleAction } from '../rule-types.ts'

/** A change that `outbox` has written. */
export interface OutboxRow {
  /**
   * Of the row of the outbox. A row that is written later has a higher one. On PostgreSQL, writes that overlap may end in another order, so a
   * worker may get a row before one with a lower id.
   */
  readonly id: number | string
  readonly at: string
  readonly resource: string
  /** The id of the record that was added, changed or removed. */
  readonly recordId: string
  readonly action: RuleAction
  /** As rules saw it; null for a new record. */
  // biome-ignore lint/suspicious/noExplicitAny: the values of any resource
  readonly before: Readonly<Record<string, any>> | null
  /** Null for a record that was removed. */
  // biome-ignore lint/suspicious/noExplicitAny: the values of any resource
  readonly after: Readonly<Record<string, any>> | null
  /** Who has done it; null for the application's own code. */
  // biome-ignore lint/suspicious/noExplicitAny: a caller of which nothing is known
  readonly caller: Readonly<Record<string, any>> | null
}

/** So many rows go to the worker at once. */
const MOST_AT_ONCE = 100

/**
 * Gives a worker the oldest rows of an outbox, at most 100, and deletes them when its promise resolves. If it rejects, they stay, and so
 * does this promise reject: each row is worked on at least once. Resolves to the number of rows; 0 if there were none.
 *
 * On PostgreSQL the rows are locked meanwhile, and other workers take other ones. On SQLite, to lock rows is to keep all
 * others from writing, so no row is locked, and two workers may get the same rows: run one.
 *
 * @example
 * const drain = async (send: (rows: readonly OutboxRow[]) => Promise<void>) => {
 *   while ((await readOutbox(db, 'outbox', send)) > 0);
 * }
 */
export async function readOutbox(
  db: AnyKysely,
  table: string,
  work: (rows: readonly OutboxRow[]) => Promise<unknown>,
): Promise<number> {
  if (databaseOf(db) === 'sqlite' || db.isTransaction) return await takeRows(db, table, work)
  return await db.transaction().execute((transaction) => takeRows(transaction, table, work))
}

async function takeRows(db: AnyKysely, table: string, work: (rows: readonly OutboxRow[]) => Promise<unknown>) {
  const oldest = db.selectFrom(table).selectAll().orderBy('id').limit(MOST_AT_ONCE)
  const locked = databaseOf(db) === 'postgres' ? oldest.forUpdate().skipLocked() : oldest
  const rows = (await locked.execute()).map(toOutboxRow)
  if (rows.length === 0) return 0
  await work(rows)
  const ids = rows.map(({ id }) => id)
  await db.deleteFrom(table).where('id', 'in', ids).execute()
  return rows.length
}

function toOutboxRow(row: Readonly<Record<string, unknown>>): OutboxRow {
  const { before, after, caller } = row
  return { ...row, before: parsed(before), after: parsed(after), caller: parsed(caller) } as OutboxRow
}

/** JSON is text on SQLite. */
function parsed(value: unknown): unknown {
  return typeof value === 'string' ? JSON.parse(value) : value
}
