import type { Link, Resource } from '../../model/model.ts'
import type { Place } from '../../model/place.ts'

/** The rows that go with a record: those whose column has its id. */
export interface RowsOfRecord {
  readonly of: Resource | Link
  readonly column: string
}

/**
 * What goes with each record of a place, its own row aside, where that is known without a look: nothing names these
 * records or what they own, and what they own has nothing of its own. Undefined where what is there decides.
 */
export function goesWithAny({ resource, path }: Place): readonly RowsOfRecord[] | undefined {
  const { owns, links } = resource
  const isBare = owns.length + links.length === 0
  // The one child that an owner may not be without is refused, but only if it is there.
  const isKnown = path.length === 0 ? resource.ownedBy.length === 0 : isBare && path.at(-1)?.required === false
  if (!isKnown || isNamed(resource)) return undefined
  // Their rows would have to be found by the ids of others.
  if (owns.some(({ target }) => isNamed(target) || target.owns.length + target.links.length > 0)) return undefined
  return [
    ...links.map((link) => ({ of: link, column: link.from })),
    ...owns.map(({ target, inverse }) => ({ of: target, column: inverse.column })),
  ]
}

/** Whether records of the resource may be named by others than their owners. */
function isNamed({ referencedBy, linkedBy }: Resource): boolean {
  return referencedBy.length + linkedBy.length > 0
}
