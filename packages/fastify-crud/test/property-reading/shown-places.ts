import { type ReadingModel, type ReadingResource, type Relation, readingResourceOf } from './reading-model.ts'
import { showsRelation } from './reference-show.ts'
import type { Selection } from './selection.ts'

/** Related records that an answer shows. */
export interface ShownPlace {
  /** The relations that lead there. */
  readonly path: string
  readonly relation: Relation
  readonly resource: ReadingResource
  /** The request names it. */
  readonly isAsked: boolean
}

/** The places of an answer, up to so many relations away. */
export function placesShown(
  model: ReadingModel,
  resource: ReadingResource,
  selection: Selection | undefined,
  levels: number,
  above: { readonly path: string; readonly isWhole: boolean } = { path: '', isWhole: true },
): ShownPlace[] {
  if (levels === 0) return []
  return resource.relations.flatMap((relation) => {
    if (!showsRelation(relation, above.isWhole && relation.isDefault, selection)) return []
    const below = selection?.below.get(relation.name)
    const path = above.path === '' ? relation.name : `${above.path}.${relation.name}`
    const target = readingResourceOf(model, relation.target)
    const place = { path, relation, resource: target, isAsked: below !== undefined }
    return [place, ...placesShown(model, target, below, levels - 1, { path, isWhole: relation.isOwned })]
  })
}
