import type { Rights } from '../../asking/policies/rights.ts'
import {
  invalid,
  notAllowed,
  notUnique,
  type Problem,
  placesTaken,
  type Refusal,
  unknownReference,
  withArticle,
} from '../../errors.ts'
import { type Id, isGivenByClient } from '../../model/ids/id-kind.ts'
import type { ForeignKey, Link, Reference, UniqueKey } from '../../model/model.ts'
import type { Draft } from '../body/draft.ts'
import { noSuchRecord, pointerTo } from '../body/faults.ts'
import { BEFORE } from '../body/patch-marks.ts'
import { type Changes, comesBack, givenId, type Insert, isRemoved, type Update } from '../diff/changes.ts'
import { type Diff, placeIsTaken } from '../diff/diff.ts'
import { findListed } from '../diff/find-listed.ts'
import { belowThemselves, leftWithout } from '../diff/move.ts'
import { type Facts, type Lookups, noLookups } from './lookups.ts'
import { needed } from './needed.ts'
import { type Permit, plannedActions } from './planned-actions.ts'
import { canCollide, memberPointer, placeOf, readableNames, rowsByKey, sets, valueKey } from './unique-values.ts'

/** Why the changes are refused; undefined if they are not. It is the first kind of reason that applies, with all its
 * pointers. */
export function refusalOfChanges(
  diff: Diff,
  lookups: Lookups,
  facts: Facts,
  permit: Permit | undefined,
  rights: Rights | undefined,
): Refusal | undefined {
  const { changes } = diff
  if (diff.taken.length > 0) return placesTaken(diff.taken)
  const problems = changes.moved === undefined ? diff.problems : [...diff.problems, ...leftWithout(changes.moved)]
  if (problems.length > 0) return invalid(problems)
  const unknown = lookups === noLookups ? diff.unknown : unknownNames(diff, facts, permit)
  if (unknown.length > 0) return unknownReference(unknown)
  // An owner that the caller may not see is unknown, also where it is below the record.
  const below = changes.moved === undefined ? [] : belowThemselves(changes.moved)
  if (below.length > 0) return invalid(below)
  const notPermitted = permit?.refusalOf(plannedActions(changes))
  if (notPermitted !== undefined) return notPermitted
  if (lookups === noLookups) return diff.required
  if (facts.forbidden.length > 0) return notAllowed(facts.forbidden)
  if (diff.required !== undefined) return diff.required
  const givenTwice = lookups.given.size === 0 ? [] : takenIds(changes, facts)
  if (givenTwice.length > 0) return placesTaken(givenTwice)
  const mayBeTaken = lookups.changed.length > 0 || changes.linked.length > 0
  return needed(changes, facts, rights, permit) ?? (mayBeTaken ? taken(diff, lookups, facts) : undefined)
}

/** All names of records that are not there for the client. Which places an unknown owner has is not said. */
function unknownNames(diff: Diff, facts: Facts, permit: Permit | undefined): readonly Problem[] {
  const references = unknownReferences(diff, facts, permit)
  const { moved } = diff.changes
  if (moved === undefined || references.length === 0) return diff.unknown.concat(references)
  const unknown = new Set(references.map(({ pointer }) => pointer))
  const lost = moved.filter(({ pointer }) => unknown.has(pointer))
  const places = new Set<string | undefined>(
    lost.map(({ pointer }) => pointerTo(pointer.slice(0, pointer.lastIndexOf('/')), BEFORE)),
  )
  return [...diff.unknown.filter(({ pointer }) => !places.has(pointer)), ...references]
}

/** Records that the client may not see are not there for it. `rules/stages/set-values.ts` checks what rules name. */
function unknownReferences({ changes, hidden }: Diff, facts: Facts, permit: Permit | undefined): Problem[] {
  const problems: Problem[] = []
  const isThere = (relation: ForeignKey | Link, id: Id) =>
    !hidden.has(relation.target) && exists(changes, facts, relation, id)
  const check = (one: Insert | Update): void => {
    const { resource, values, pointer } = one
    const { references } = resource
    // What comes back names records that were looked up as it was read.
    const isKnown = 'comesBack' in one && one.comesBack !== undefined
    const isMet = isKnown ? ({ target }: Reference, id: Id) => !isRemoved(changes, target, id) : isThere
    for (let index = 0; index < references.length; index++) {
      const reference = references[index] as Reference
      const id = givenId(values, reference)
      if (id === null || id === undefined || reference.setByRule || isMet(reference, id)) continue
      const at = pointerTo(pointer, reference.foreignKey)
      problems.push({ pointer: at, ...noSuchRecord(reference.target, id) })
    }
  }
  for (const one of changes.inserts) check(one)
  for (const one of changes.updates) check(one)
  for (const { to, pointer, places } of changes.moved ?? []) {
    if (to === undefined) continue
    const isSeen = places === undefined || permit === undefined || permit.seesOwner(places.after)
    if (!isSeen || !isThere(to.by, to.id)) problems.push({ pointer, ...noSuchRecord(to.by.target, to.id) })
  }
  for (const { link, to, pointer } of changes.linked) {
    if (!isThere(link, to)) problems.push({ pointer, ...noSuchRecord(link.target, to) })
  }
  return problems
}

/** Whether the record exists after the write. */
function exists(changes: Changes, facts: Facts, { target }: ForeignKey | Link, id: Id): boolean {
  if (isRemoved(changes, target, id)) return false
  return (facts.existing.get(target)?.has(id) ?? true) || comesBack(changes, target, id)
}

/** The ids that clients give to new records and other records have: those in the database, also if the request removes
 * them, and in the body. */
function takenIds({ inserts }: Changes, { given }: Facts): Problem[] {
  const problems: Problem[] = []
  // An id is once in a table.
  const first = new Map<string, Set<Id>>()
  for (const { resource, id, idPointer } of inserts) {
    if (id === undefined || !isGivenByClient(resource.id)) continue
    const known = first.get(resource.table) ?? new Set()
    const isTwice = known.has(id)
    first.set(resource.table, known.add(id))
    if (!isTwice && !given.get(resource)?.has(id)) continue
    const message = isTwice ? `${id} occurs twice in this body` : `there is ${withArticle(resource.key)} ${id} already`
    problems.push({ pointer: idPointer, message, keyword: 'exists' })
  }
  return problems
}

/** Refuses unique values that two records would have after the write, and places of one record that two would have,
 * with the pointer of each in the body. */
function taken(diff: Diff, lookups: Lookups, facts: Facts): Refusal | undefined {
  const { changes, fieldRights } = diff
  const { changed } = lookups
  const collisions = new Map<string, { names: readonly string[]; problem: Problem }>()
  const collide = (names: readonly string[], pointer: string | undefined, message: string): void => {
    if (pointer === undefined) return
    const problem = { pointer, message, keyword: 'unique', params: { members: names } }
    collisions.set(`${pointer} ${names}`, { names, problem })
  }
  const places: Problem[] = []
  const changing = rowsByKey(changed)
  const listed = findListed(diff.listed)
  const first = new Map<string, (typeof changed)[number]>()
  for (const one of changed) {
    if (!canCollide(one.values)) continue
    const names = readableNames(one.key, fieldRights)
    const values = valueKey(one, one.values)
    const twin = first.get(values)
    const place = placeOf(one.key)
    if (twin === undefined) first.set(values, one)
    else if (place !== undefined) places.push(placeIsTaken(place, one.pointer))
    else for (const { pointer } of [twin, one]) collide(names, pointer, `${names.join(', ')} occurs twice in this body`)
  }
  for (const { resource, key, values } of lookups.holders) {
    for (const [index, holder] of facts.holders.get(key) ?? []) {
      const one = values[index]
      if (one === undefined || changing.get(key)?.has(holder) || isRemoved(changes, resource, holder)) continue
      const place = placeOf(key)
      if (place !== undefined) {
        places.push(placeIsTaken(place, one.pointer))
        continue
      }
      const names = readableNames(key, fieldRights)
      collide(names, one.pointer, `another ${resource.key} has this ${names.join(', ')} already`)
      const also = pointerToListed(listed(resource, holder), key)
      collide(names, also, `${names.join(', ')} occurs twice in this body`)
    }
  }
  for (const { link, to, from, pointer } of changes.linked) {
    for (const holder of facts.linkHolders.get(link)?.get(to) ?? []) {
      if (holder === from || unlinks(changes, link, holder, to)) continue
      collide([link.name], pointer, `${link.target.key} ${to} is linked to another ${link.source.key} already`)
      const draft = listed(link.source, holder)
      const element = draft?.links[link.position]?.find((one) => one.id === to)
      collide(
        [link.name],
        element?.pointer ?? draft?.pointer,
        `${link.target.key} ${to} can be linked to one ${link.source.key} only`,
      )
    }
  }
  for (const [pointer, link, to] of linkedTwice(changes)) {
    collide([link.name], pointer, `${link.target.key} ${to} can be linked to one ${link.source.key} only`)
  }
  if (places.length > 0) return placesTaken(places)
  if (collisions.size === 0) return undefined
  const names = new Set([...collisions.values()].map((one) => one.names.join(', ')))
  return notUnique(
    `not unique: ${[...names].join('; ')}`,
    [...collisions.values()].map((one) => one.problem),
  )
}

/** The pointer to the values of a record that the body lists: to the one property if possible, else to the record. */
function pointerToListed(draft: Draft | undefined, key: UniqueKey): string | undefined {
  if (draft === undefined || !sets(draft.values, key)) return draft?.pointer
  return memberPointer(key, draft.pointer, draft.values, draft.reading.fieldRights)
}

function unlinks(changes: Changes, link: Link, from: Id, to: Id): boolean {
  if (isRemoved(changes, link.source, from)) return true
  return changes.unlinked.some((one) => one.link === link && one.from === from && one.to === to)
}

/** The associations in one body that give an exclusive target to two records. */
function linkedTwice(changes: Changes): [pointer: string, link: Link, to: Id][] {
  const found: [string, Link, Id][] = []
  const first = new Map<Link, Map<Id, string>>()
  for (const { link, to, pointer } of changes.linked) {
    if (!link.exclusive) continue
    const known = first.get(link) ?? new Map<Id, string>()
    first.set(link, known)
    const other = known.get(to)
    if (other === undefined) known.set(to, pointer)
    else found.push([other, link, to], [pointer, link, to])
  }
  return found
}
