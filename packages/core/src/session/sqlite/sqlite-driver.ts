/** What is used of a better-sqlite3 database. */
export interface SqliteDatabaseLike<Statement extends SqliteStatementLike = SqliteStatementLike> {
  prepare(sql: string): Statement
  close(): void
  readonly inTransaction?: boolean
}

export interface SqliteStatementLike {
  readonly reader: boolean
  all(parameters: readonly unknown[]): unknown[]
  run(parameters: readonly unknown[]): SqliteResult
  iterate(parameters: readonly unknown[]): IterableIterator<unknown>
  get?(parameters: readonly unknown[]): unknown
  /** From then on, each row is only the value of its first column. */
  pluck?(): unknown
  /** Whether somebody is in the middle of reading its rows. Only better-sqlite3 has this; drivers that resemble it do not. */
  readonly busy?: boolean
}

export interface SqliteResult {
  readonly changes: number | bigint
  readonly lastInsertRowid: number | bigint
}
