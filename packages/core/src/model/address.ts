import type { Id } from './ids.ts'
import type { Place } from './place.ts'

/** The collection that a request names: its place, and the ids of the owners in the path, the topmost first. */
export interface Address {
  readonly place: Place
  readonly owners: readonly Id[]
}
