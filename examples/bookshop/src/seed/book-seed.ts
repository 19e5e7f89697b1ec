/** A book as the lists of this folder have it: related records by their names, chapters by their titles. */
export interface BookSeed {
  readonly title: string
  readonly subtitle?: string
  readonly publisher: string
  readonly authors: readonly string[]
  readonly series?: string
  readonly shelf: string
  readonly tags: readonly string[]
  readonly format: 'hardback' | 'paperback' | 'ebook' | 'audiobook'
  readonly pages: number | null
  readonly price: string
  readonly publishedOn: string | null
  readonly rating?: number
  readonly artist?: string
  readonly chapters: readonly string[]
  /** Footnotes, each as the number of its chapter and its text. */
  readonly notes?: readonly (readonly [chapter: number, text: string])[]
}
