import type { ReadAnswer } from '../session/sqlite/slow-reads.ts'
import type { Pragmas } from './sqlite-pragmas.ts'

/** How a thread opens the database. */
export interface ReaderSettings {
  readonly file: string
  readonly pragmas: Pragmas
  /** The path of better-sqlite3's main file. */
  readonly module: string
  /** Options of better-sqlite3. */
  readonly driver: Readonly<Record<string, unknown>>
}

export interface ReadTask {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** The answer, or SQLite's error: an error's code does not travel with it. */
export type ReadReport = ReadAnswer | ReadFailure

export interface ReadFailure {
  readonly message: string
  readonly code: string | undefined
}
