/**
 * What `search` of a list looks at.
 *
 * @example
 * const search: SearchDeclaration = { fields: ['title', 'authors.name'] }
 */
export interface SearchDeclaration {
  /** Texts and computed texts, of the record and of related ones, behind up to five relations. */
  readonly fields: readonly ((string & {}) | `${number}`)[]
}
