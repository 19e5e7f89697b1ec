/**
 * What `search` of a list looks at.
 *
 * @example
 * const search: SearchDeclaration = { fields: ['title', 'authors.name'] }
 */
export interface SearchDeclaration {
  /** Texts and computed texts, of the record and of related ones, behind up to five relations. */
  readonly fields: readonly ((string & {}) | `${number}`)[]
  /**
   * `true`: `createTables` makes an index of the trigrams of each field of the record itself, by which words of three
   * or more letters are found. The answers are the same without it, but for the case of some letters on SQLite.
   */
  readonly index?: true
}
