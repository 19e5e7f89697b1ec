import type { CollectionPath } from '../../model/collection-path.ts'
import type { Link, Resource } from '../../model/model.ts'

/** The rows of a table that are deleted with a record: those whose column has its id. */
export interface RowsOfRecord {
  readonly of: Resource | Link
  readonly column: string
}

/**
 * The rows that are deleted with any record of a path, besides its own row. Undefined if the database has to be read to
 * know them: if others may name the records or what they own, or if what they own has related records itself.
 */
export function goesWithAny({ resource, relations }: CollectionPath): readonly RowsOfRecord[] | undefined {
  const { owns, links } = resource
  const isBare = owns.length + links.length === 0
  // Deleting a required child is refused if the child exists, so the child has to be read.
  const isKnown =
    relations.length === 0 ? resource.ownedBy.length === 0 : isBare && relations.at(-1)?.required === false
  if (!isKnown || isNamed(resource)) return undefined
  // Only the ids of the owned records would find their rows.
  if (owns.some(({ target }) => isNamed(target) || target.owns.length + target.links.length > 0)) return undefined
  return [
    ...links.map((link) => ({ of: link, column: link.fromColumn })),
    ...owns.map(({ target, inverse }) => ({ of: target, column: inverse.column })),
  ]
}

/** Whether records other than their owners may name records of the resource. */
function isNamed({ referencedBy, linkedBy }: Resource): boolean {
  return referencedBy.length + linkedBy.length > 0
}
