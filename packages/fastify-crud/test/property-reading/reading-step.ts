import type { Address } from '../property/reference-path.ts'
import type { ReadingQuery } from './reading-query.ts'

/** One thing that a client asks of a list, and the caller who asks; undefined for the system. */
export type ReadingStep = { readonly address: Address; readonly caller: number | undefined } & (
  | { readonly is: 'page'; readonly query: ReadingQuery }
  /** A single record. */
  | { readonly is: 'record'; readonly query: ReadingQuery }
  /** All pages, each by the cursor of the one before. `spoilt` says what a client does to the first cursor besides. */
  | { readonly is: 'walk'; readonly query: ReadingQuery; readonly spoilt: number }
  /** Something that the page does not speak of. */
  | { readonly is: 'odd'; readonly text: string }
  | { readonly is: 'broken'; readonly text: string; readonly names: string | undefined }
)
