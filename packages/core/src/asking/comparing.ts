/** What a condition is compiled with besides the context. */
export interface Comparing {
  /** Whether the database knows the lower case of all letters; else of ASCII only. */
  readonly foldsAll: boolean
  /** Whether sessions print moments as ISO 8601 does. */
  readonly printsIso: boolean
  /** Whether the texts of the list's records have an index that finds parts of them. On PostgreSQL, the statement is the same without it. */
  readonly findsParts: boolean
}

/** For what compares neither letters without their case nor moments. */
export const ASCII_ONLY: Comparing = { foldsAll: false, printsIso: true, findsParts: false }
