import type { Place } from '../model/place.ts'
import type { Draft } from './draft.ts'
import { sets } from './unique-values.ts'

/**
 * Whether a PATCH comes to the same write whatever the record holds: it sets fields of its own, which nothing else hangs on.
 * JSON has to be read to be compared; and a body with the record's id is one that was read before, so most of what it says
 * is there already.
 */
export function setsFieldsOnly({ resource, id, values, owned, links }: Draft): boolean {
  if (id !== undefined || owned.some(isSaid) || links.some(isSaid)) return false
  let setsAny = false
  for (let position = 0; position < values.length; position++) {
    if (values[position] === undefined) continue
    const member = resource.members[position]
    if (member?.kind !== 'field' || member.storage === 'json') return false
    setsAny = true
  }
  return setsAny && !resource.uniques.some((key) => sets(values, key))
}

function isSaid(part: unknown): boolean {
  return part !== undefined
}

/** The rows of a table that go with a record: those whose column has its id. */
export interface RowsOfRecord {
  readonly table: string
  readonly column: string
}

/**
 * What goes with each record of a place, its own row aside, where that is known without a look: nothing names these
 * records or what they own, and what they own has nothing of its own. Undefined where what is there decides.
 */
export function goesWithAny({ resource, path }: Place): readonly RowsOfRecord[] | undefined {
  const { owns, links } = resource
  const isBare = owns.length + links.length === 0
  // Below an owner, what a record owns could go although the record is another one's.
  const isKnown = path.length === 0 ? resource.ownedBy.length === 0 : isBare && path.at(-1)?.required === false
  if (!isKnown || isNamed(resource)) return undefined
  const hasMore = owns.some(({ target }) => isNamed(target) || target.owns.length + target.links.length > 0)
  if (hasMore) return undefined
  return [
    ...links.map(({ table, from }) => ({ table, column: from })),
    ...owns.map(({ target, inverse }) => ({ table: target.table, column: inverse.column })),
  ]
}

/** Whether records of the resource may be named by others than their owners. */
function isNamed({ referencedBy, linkedBy }: Place['resource']): boolean {
  return referencedBy.length + linkedBy.length > 0
}
