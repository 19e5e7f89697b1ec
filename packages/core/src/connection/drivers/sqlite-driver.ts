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
  /** From then on, rows are the values of their first columns. */
  pluck?(): unknown
  /** better-sqlite3 tells whether somebody goes through its rows; drivers that only resemble it do not. */
  readonly busy?: boolean
}

export interface SqliteResult {
  readonly changes: number | bigint
  readonly lastInsertRowid: number | bigint
}
