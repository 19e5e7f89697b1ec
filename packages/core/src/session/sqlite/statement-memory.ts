import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SqliteDatabaseLike, SqliteStatementLike } from './sqlite-driver.ts'

/**
 * Prepares a statement, and tells V8 how much memory it takes. SQLite frees a statement after V8 has collected its object, which is a
 * thousand times smaller. V8 saw no reason to collect those that have lived for a while: 10,000 that were kept and dropped left
 * 320 MB, 600 MB in a large heap, and each one more. Now a buffer of the statement's size belongs to each object. It counts for V8
 * and takes no memory: 170 MB, however many statements there are.
 */
export function prepareWeighed(database: SqliteDatabaseLike, sql: string): SqliteStatementLike {
  const statement = database.prepare(sql)
  const bytes = sizeOf(sql)
  weights.set(statement, emptyBuffer(bytes))
  if (bytesOfTurn === 0) setImmediate(endTurn).unref()
  bytesOfTurn += bytes
  return statement
}

/**
 * A turn of the event loop, if so much was prepared in this one that it has to end; else undefined. Servers have turns enough. A
 * loop that awaits nothing but a database in its own process has none: after 10,000 filters of 20 conditions it held 600 MB.
 */
export function dueTurn(): Promise<void> | undefined {
  return bytesOfTurn > MOST_IN_A_TURN ? nextTurn() : undefined
}

const MOST_IN_A_TURN = 16_000_000

/** SQLite 3.53 takes 13 to 22 bytes for each letter of the library's statements, short ones aside. */
function sizeOf(sql: string): number {
  return 4_000 + 18 * sql.length
}

/** What can grow is not taken from the allocator: the system gives it pages only when something is written there. */
function emptyBuffer(bytes: number): ArrayBuffer {
  return new ArrayBuffer(bytes, { maxByteLength: bytes })
}

/** As long as a statement lives, so does its buffer. */
const weights = new WeakMap<object, ArrayBuffer>()

/** Of this thread, as statements are freed by its event loop, whatever database they belong to. */
let bytesOfTurn = 0

function endTurn(): void {
  bytesOfTurn = 0
}
