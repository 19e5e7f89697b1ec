import { hidesSome, ownersOf, type Rights } from '../../asking/policies/rights.ts'
import { type Blocker, type BodyProblem, type Refusal, stillNeeded } from '../../errors.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, Reference, Resource } from '../../model/model.ts'
import { type Changes, isRemoved, NO_POINTER, removedFrom } from '../diff/changes.ts'
import { heldId } from '../rows.ts'
import type { Facts } from './lookups.ts'
import type { Permit } from './planned-actions.ts'

/** Refuses to remove what others need. Of what the caller may not see, the refusal says nothing. Throws what `permit`
 * throws. */
export function needed(
  changes: Changes,
  facts: Facts,
  rights: Rights | undefined,
  permit: Permit | undefined,
): Refusal | undefined {
  const blocking = blockingIn(changes, facts)
  if (blocking.length === 0) return undefined
  const problems: BodyProblem[] = []
  const blockers = new Map<Reference | Link, Blocker>()
  const blocked = new Map<string, { target: string; count: number; by: NeedingRecords }>()
  for (const { relation, id, pointer, count } of visibleOf(blocking, rights, permit)) {
    const target = `${relation.target.key} ${id}`
    const several = [...facts.needing.keys()].filter(
      (other) => other.target === relation.target && other.source === relation.source,
    )
    const by = { resource: relation.source.key, way: several.length > 1 ? relation.name : undefined }
    const place = JSON.stringify([target, by.resource, by.way])
    const known = blocked.get(place)
    blocked.set(place, { target, by, count: count + (known?.count ?? 0) })
    const blocker = { resource: by.resource, relation: relation.name, count }
    blockers.set(relation, { ...blocker, count: count + (blockers.get(relation)?.count ?? 0) })
    if (pointer === NO_POINTER) continue
    const message = `${target} is still needed by ${counted(count, by)}`
    problems.push({ pointer, message, keyword: 'stillNeeded', params: blocker })
  }
  if (blocked.size === 0) return stillNeeded('it is still needed')
  const reasons = [...blocked.values()].map(
    ({ target, count, by }) => `${target} is still needed by ${counted(count, by)}`,
  )
  const more = reasons.length > 3 ? ` (and ${reasons.length - 3} more)` : ''
  return stillNeeded(reasons.slice(0, 3).join('; ') + more, problems, [...blockers.values()])
}

/** A record that may not be removed, because others need it through this relation. */
interface Blocking {
  readonly relation: Reference | Link
  readonly id: Id
  readonly pointer: string
  /** How many need it that no policy hides. */
  readonly count: number
  /** If it would be removed because its owner is: its resource, and those above it that would be, too. */
  readonly goneWithOwners: ReadonlySet<Resource>
}

function blockingIn(changes: Changes, { needing }: Facts): readonly Blocking[] {
  const blocking: Blocking[] = []
  for (const [relation, counts] of needing) {
    const removed = removedFrom(changes, relation.target)
    if (removed === undefined) continue
    const released = releasedBy(changes, relation)
    for (const [id, found] of counts) {
      const pointer = removed.pointers.get(id)
      const gone = released.get(id) ?? 0
      if (pointer === undefined || found.count <= gone) continue
      const goneWithOwners = removed.withOwner.has(id) ? withOwnersIn(changes, relation.target) : NO_RESOURCES
      blocking.push({ relation, id, pointer, count: found.shown - gone, goneWithOwners })
    }
  }
  return blocking
}

/** Those of which the caller may see everything. The application is asked only now, because most removals are not
 * refused. */
function visibleOf(
  blocking: readonly Blocking[],
  rights: Rights | undefined,
  permit: Permit | undefined,
): readonly Blocking[] {
  const shown = blocking.filter(
    ({ count, goneWithOwners }) => count > 0 && ![...goneWithOwners].some((resource) => hidesSome(rights, resource)),
  )
  if (permit === undefined || shown.length === 0) return shown
  const owned = new Set(shown.flatMap(({ goneWithOwners }) => [...goneWithOwners]))
  const sources = new Set(shown.map(({ relation }) => relation.source))
  const hidden = permit.hiddenOf({ owned: [...owned], related: [...sources] })
  return shown.filter(
    ({ relation, goneWithOwners }) => ![relation.source, ...goneWithOwners].some((resource) => hidden.has(resource)),
  )
}

const NO_RESOURCES: ReadonlySet<Resource> = new Set()

/** The resource, and those of its owners, up to the root, of which records are removed with their owners, too. */
function withOwnersIn(changes: Changes, resource: Resource): ReadonlySet<Resource> {
  const found = new Set([resource])
  // A set grows while it is walked.
  for (const one of found) {
    for (const owner of ownersOf(one)) {
      if ((removedFrom(changes, owner)?.withOwner.size ?? 0) > 0) found.add(owner)
    }
  }
  return found
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
