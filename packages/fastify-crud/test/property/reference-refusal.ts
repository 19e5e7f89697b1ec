import { EXISTS, FORBIDDEN, INVALID, type Refusal, STILL_NEEDED, UNKNOWN_REFERENCE } from './reference-answer.ts'
import { arrangeAll, forgetGone } from './reference-order.ts'
import type { Rights } from './reference-policies.ts'
import {
  type ChangedRows,
  changedRows,
  isEditRefusedAfter,
  isPlannedRefused,
  isRefusedAfter,
  isRefusedBefore,
} from './reference-rights.ts'
import { type CollectionPath, settle } from './reference-settle.ts'
import { rowsOf } from './reference-store.ts'
import { findUnknown, placeKey, type Write } from './reference-write.ts'

/**
 * Settles what a write did. Returns the first reason why it is refused, undefined if there is none. `isRequired`: it removes a record
 * that its owner may not be without.
 */
export function refusalOf(write: Write, rights: Rights | undefined, removesRequired: boolean): Refusal | undefined {
  const isRequired = removesRequired || write.leavesNone
  const changed = rights === undefined ? undefined : changedRows(write)
  const isForbidden = (is: (rights: Rights, write: Write, changed: ChangedRows) => boolean): boolean =>
    rights !== undefined && changed !== undefined && is(rights, write, changed)
  const isPlanForbidden = isForbidden(isPlannedRefused)
  if (write.taken.size > 0) return isPlanForbidden ? FORBIDDEN : EXISTS
  if (write.wrong.size > 0) return INVALID(write.wrong)
  findUnknown(write)
  arrangeAll(write)
  if (write.unknown.size > 0) return UNKNOWN_REFERENCE(write.unknown)
  if (isForbidden(isRefusedBefore)) return FORBIDDEN
  if (write.takenIds.size > 0) return isPlanForbidden ? FORBIDDEN : EXISTS
  const { stillNeeded, sharing, needing } = settle(write.model, write.state)
  forgetGone(write.model, write.state)
  if (isPlanForbidden && (stillNeeded || isRequired || sharing.length > 0)) return FORBIDDEN
  if (isRequired) return STILL_NEEDED
  if (stillNeeded) {
    const shown = needing.filter(({ resource, id }) => rowsOf(write.seen, resource).has(id))
    return { ...STILL_NEEDED, needing: shown.length }
  }
  if (sharing.length > 0) return notUnique(write, sharing)
  return isForbidden(isRefusedAfter) || isForbidden(isEditRefusedAfter) ? FORBIDDEN : undefined
}

function notUnique(write: Write, sharing: readonly CollectionPath[]): Refusal {
  const places = sharing.flatMap(({ resource, id, properties }) => {
    const place = write.places.get(placeKey(resource, id))
    if (place === undefined) return []
    return [{ at: place.at, holds: place.isNew || properties.some((name) => Object.hasOwn(place.body, name)) }]
  })
  const pointers = new Set(places.flatMap(({ at, holds }) => (holds ? [at] : [])))
  return { status: 409, code: 'CRUD_ERR_NOT_UNIQUE', pointers, others: new Set(places.map(({ at }) => at)) }
}
