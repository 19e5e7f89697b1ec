/** The names of all that an index for searches has on SQLite begin with it. */
export const SEARCH_PREFIX = 'crud_search_'

/** SQLite: what an index for searches consists of. */
export interface SearchNames {
  /** The virtual table of FTS5, with the words of each row under a number. */
  readonly words: string
  /** Tells which row a number means: a table without an integer as its key gives its rows other numbers now and then. */
  readonly rows: string
  /** What keeps both right, whoever writes to the table. */
  readonly triggers: { readonly insert: string; readonly update: string; readonly delete: string }
}

/** By the name of the table that is searched, as the database has it. */
export function searchNames(table: string): SearchNames {
  const name = `${SEARCH_PREFIX}${table}`
  const triggers = { insert: `${name}_insert`, update: `${name}_update`, delete: `${name}_delete` }
  return { words: `${name}_fts`, rows: `${name}_rows`, triggers }
}

/** The column of FTS5 for the words of a column. It takes some names for its own. */
export function wordsColumn(column: string): string {
  return `t_${column}`
}

/** The columns that tell which row a number means. */
export function keyColumns(key: readonly string[]): readonly string[] {
  return key.map((_, position) => `key${position}`)
}

/** The column with that number. */
export const NUMBER = 'number'
