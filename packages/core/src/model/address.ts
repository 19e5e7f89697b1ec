import type { CollectionPath } from './collection-path.ts'
import type { Id } from './ids/id-kind.ts'

/** The collection that a request names: its path in the model, and the ids of the owners in it, the topmost first. */
export interface Address {
  readonly path: CollectionPath
  readonly owners: readonly Id[]
}
