/** Statements of which the server keeps the last ones that were used. Each group has a limit of its own. */
export interface KeptGroup {
  readonly most: number
}

/** Under which name the server keeps a statement prepared. Only one text may have the name. */
export interface KeptName {
  readonly name: string
  readonly group: KeptGroup
}

/** A single command of SQL. */
export interface Statement {
  readonly text: string
  /** The values of `$1`, `$2` …, for whatever wraps the client's `query`. */
  readonly values: readonly unknown[]
  /** The values as they are sent, in PostgreSQL's text format. */
  readonly texts: readonly (string | null)[]
  /** Undefined: the server does not keep the statement. */
  readonly kept: KeptName | undefined
}

/** What Kysely's dialect reads of an answer. Values are what the client's type parsers make of them. */
export interface PostgresResult {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: readonly Record<string, unknown>[]
}
