import type { JsonObject } from '../property/json.ts'

/** What a list is asked for. */
export interface ReadingQuery {
  /** As JSON has it, however it is spelled. */
  readonly filter?: JsonObject
  /** As JSON if it is not `brackets`. */
  readonly spelling?: 'brackets'
  readonly search?: string
  readonly sort?: readonly string[]
  readonly limit?: number
  readonly offset?: number
  readonly count?: 'exact' | 'none' | number
  readonly fields?: readonly string[]
  readonly include?: readonly string[]
  /** By the path of the relation. */
  readonly nested?: Readonly<Record<string, NestedQuery>>
}

/** What a nested array is asked for. */
export interface NestedQuery {
  readonly limit?: number
  readonly sort?: readonly string[]
  readonly filter?: JsonObject
}
