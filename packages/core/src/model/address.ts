import type { Id } from './ids.ts'
import type { Place } from './place.ts'

/** Where a request's records are: their place, and the ids of the owners on the way there, the topmost first. */
export interface Address {
  readonly place: Place
  readonly owners: readonly Id[]
}
