import type { CollectionPath } from '../../model/collection-path.ts'
import type { Link, Resource } from '../../model/model.ts'
import type { Draft } from '../body/draft.ts'
import { nestedWithoutKey } from '../body/nested-record.ts'
import { NumberChange } from '../body/patch-marks.ts'
import { PendingAnswersError, type Permit } from './planned-actions.ts'
import { sets } from './unique-values.ts'

// A blind write is the same whatever the record holds, so that no record is read before it.

/** Each combination of fields is a statement of its own. More fields would make too many statements to keep in
 * memory. */
const MOST_FIELDS = 8

/**
 * Whether a PATCH is the same write for any record: it sets only fields, and nothing else depends on these fields.
 *
 * A JSON field is compared with what is stored, a nested record without its foreign key with the stored foreign key,
 * and a sum depends on the stored number. Unique values are looked up, because the database may lack the unique key. A
 * body with the record's id probably comes from a GET and changes nothing, so reading first is cheaper.
 */
export function mayPatchBlind(draft: Draft): boolean {
  const { resource, id, values, owned, links, unfit, place } = draft
  if (id !== undefined || place !== undefined || unfit.size > 0 || owned.some(isSaid) || links.some(isSaid))
    return false
  if (resource.idMembers.some((member) => member.kind !== 'ownedBy' && values[member.position] !== undefined))
    return false
  let fields = 0
  for (let position = 0; position < values.length; position++) {
    if (values[position] === undefined) continue
    const member = resource.members[position]
    if (member?.kind !== 'field' || member.storage === 'json' || values[position] instanceof NumberChange) return false
    fields += 1
  }
  if (resource.references.some((reference) => nestedWithoutKey(draft, reference) !== undefined)) return false
  return fields > 0 && fields <= MOST_FIELDS && !resource.uniques.some((key) => sets(values, key))
}

function isSaid(part: unknown): boolean {
  return part !== undefined
}

/** The rows of a table that are deleted with a record: those whose column has its id. */
export interface RowsOfRecord {
  readonly of: Resource | Link
  readonly column: string
}

/**
 * The rows that a DELETE removes with any record of a path, besides its own row. Undefined if the database has to be
 * read to know them: if others may name the records or what they own, or if what they own has related records itself.
 */
export function rowsDeletedWith({ resource, relations }: CollectionPath): readonly RowsOfRecord[] | undefined {
  // Its rows stay.
  if (resource.softDelete !== undefined) return undefined
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

/** Whether the records that a record owns may be deleted with it, whichever they are. If not, the record is read: it
 * may own none. */
export function mayDeleteOwned(owner: Resource, permit: Permit | undefined): boolean {
  if (permit === undefined || owner.owns.length === 0) return true
  const targets = new Set(owner.owns.map((owns) => owns.target))
  const actions = [...targets].map(
    (resource) => ({ action: 'Delete', resource, owners: new Set([owner]), pointers: [] }) as const,
  )
  try {
    return permit.refusalOf(actions) === undefined
  } catch (error) {
    if (error instanceof PendingAnswersError) throw error
    return false
  }
}
