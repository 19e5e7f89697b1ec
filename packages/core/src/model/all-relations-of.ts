import type { Relation, Resource } from './model.ts'

type WithRelations = Pick<Resource, 'owns' | 'ownedBy' | 'references' | 'links' | 'neededBy'>

/** All relations that a resource declares. */
export function allRelationsOf({ owns, ownedBy, references, links, neededBy }: WithRelations): readonly Relation[] {
  return [...owns, ...ownedBy, ...references, ...links, ...neededBy]
}
