import {
  invalid,
  notAllowed,
  type Problem,
  placesTaken,
  type Refusal,
  stillNeeded,
  unknownReference,
} from '../../errors.ts'
import type { Id } from '../../model/ids.ts'
import type { Link, Reference, Resource } from '../../model/model.ts'
import { hidesSome, ownersOf, type Rights } from '../../policies/rights.ts'
import { pointerTo } from '../body/pointer.ts'
import { type Changes, givenId, type Insert, isRemoved, NO_POINTER, removedFrom, type Update } from '../diff/changes.ts'
import { type Diff, noSuchRecord } from '../diff/diff.ts'
import { heldId } from '../record-data.ts'
import { type Facts, type Lookups, noLookups } from './lookups.ts'
import { type Permit, plannedActions } from './planned-actions.ts'
import { taken } from './taken.ts'

/** Why the changes are refused; undefined if they are not. It is the first kind of reason that applies, with all its pointers. */
export function refusalOfChanges(
  diff: Diff,
  lookups: Lookups,
  facts: Facts,
  permit: Permit | undefined,
  rights: Rights | undefined,
): Refusal | undefined {
  const { changes } = diff
  if (diff.taken.length > 0) return placesTaken(diff.taken)
  if (diff.problems.length > 0) return invalid(diff.problems)
  const unknown = lookups === noLookups ? diff.unknown : diff.unknown.concat(unknownReferences(diff, facts))
  if (unknown.length > 0) return unknownReference(unknown)
  const notPermitted = permit?.(plannedActions(changes))
  if (notPermitted !== undefined) return notPermitted
  if (lookups === noLookups) return diff.required
  if (facts.forbidden.length > 0) return notAllowed(facts.forbidden)
  if (diff.required !== undefined) return diff.required
  const mayBeTaken = lookups.changed.length > 0 || changes.linked.length > 0
  return needed(changes, facts, rights) ?? (mayBeTaken ? taken(diff, lookups, facts) : undefined)
}

/** Records that the client may not see are not there for it. `rules/check-given-ids.ts` checks what rules name. */
function unknownReferences({ changes, hidden }: Diff, facts: Facts): Problem[] {
  const problems: Problem[] = []
  const isThere = (relation: Reference | Link, id: Id) =>
    !hidden.has(relation.target) && exists(changes, facts, relation, id)
  const check = ({ resource: { references }, values, pointer }: Insert | Update): void => {
    for (let index = 0; index < references.length; index++) {
      const reference = references[index] as Reference
      const id = givenId(values, reference)
      if (id === null || id === undefined || reference.setByRule || isThere(reference, id)) continue
      const at = pointerTo(pointer, reference.foreignKey)
      problems.push({ pointer: at, message: noSuchRecord(reference.target, id) })
    }
  }
  for (const one of changes.inserts) check(one)
  for (const one of changes.updates) check(one)
  for (const { link, to, pointer } of changes.linked) {
    if (!isThere(link, to)) problems.push({ pointer, message: noSuchRecord(link.target, to) })
  }
  return problems
}

/** Whether the record exists after the write. */
function exists(changes: Changes, facts: Facts, { target }: Reference | Link, id: Id): boolean {
  return (facts.existing.get(target)?.has(id) ?? true) && !isRemoved(changes, target, id)
}

function needed(changes: Changes, facts: Facts, rights: Rights | undefined): Refusal | undefined {
  if (facts.needing.size === 0) return undefined
  const problems: Problem[] = []
  const blocked = new Map<string, { target: string; count: number; by: NeedingRecords }>()
  let isBlocked = false
  for (const [relation, counts] of facts.needing) {
    const removed = removedFrom(changes, relation.target)
    const released = releasedBy(changes, relation)
    for (const [id, found] of counts) {
      const pointer = removed?.pointers.get(id)
      const gone = released.get(id) ?? 0
      if (removed === undefined || pointer === undefined || found.count <= gone) continue
      isBlocked = true
      const count = found.shown - gone
      // Of what the caller may not see, the error says nothing.
      if (count <= 0 || (removed.withOwner.has(id) && mayBeHidden(changes, relation.target, rights))) continue
      const target = `${relation.target.key} ${id}`
      const several = [...facts.needing.keys()].filter(
        (one) => one.target === relation.target && one.source === relation.source,
      )
      const by = { resource: relation.source.key, way: several.length > 1 ? relation.name : undefined }
      const place = JSON.stringify([target, by.resource, by.way])
      const known = blocked.get(place)
      blocked.set(place, { target, by, count: count + (known?.count ?? 0) })
      if (pointer !== NO_POINTER)
        problems.push({ pointer, message: `${target} is still needed by ${counted(count, by)}` })
    }
  }
  if (!isBlocked) return undefined
  if (blocked.size === 0) return stillNeeded('it is still needed')
  const reasons = [...blocked.values()].map(
    ({ target, count, by }) => `${target} is still needed by ${counted(count, by)}`,
  )
  const more = reasons.length > 3 ? ` (and ${reasons.length - 3} more)` : ''
  return stillNeeded(reasons.slice(0, 3).join('; ') + more, problems)
}

/** Whether the caller may not see some of the records that are removed with their owners: a policy hides them, or such an owner. */
function mayBeHidden(changes: Changes, resource: Resource, rights: Rights | undefined): boolean {
  if (hidesSome(rights, resource)) return true
  return ownersOf(resource).some((owner) => {
    const goesWithOwner = (removedFrom(changes, owner)?.withOwner.size ?? 0) > 0
    return goesWithOwner && mayBeHidden(changes, owner, rights)
  })
}

/** Target id → how many records stop needing it in this write. */
function releasedBy(changes: Changes, relation: Reference | Link): ReadonlyMap<Id, number> {
  const released = new Map<Id, number>()
  const add = (target: Id) => released.set(target, (released.get(target) ?? 0) + 1)
  if (relation.kind === 'link') {
    for (const { link, from, to } of changes.unlinked) {
      if (link === relation && !isRemoved(changes, link.source, from)) add(to)
    }
  } else {
    for (const { resource, values, before } of changes.updates) {
      if (resource !== relation.source || values[relation.position] === undefined) continue
      const target = heldId(before, relation)
      if (target !== null) add(target)
    }
  }
  return released
}

interface NeedingRecords {
  readonly resource: string
  /** The relation through which they need the other; undefined where there is only one. */
  readonly way: string | undefined
}

/** `2 book records`, or `2 book records (lead)` where books need such a record in several ways. */
function counted(count: number, { resource, way }: NeedingRecords): string {
  const records = `${count} ${resource} ${count === 1 ? 'record' : 'records'}`
  return way === undefined ? records : `${records} (${way})`
}
