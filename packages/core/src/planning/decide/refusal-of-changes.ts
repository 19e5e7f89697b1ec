import type { Rights } from '../../asking/policies/rights.ts'
import {
  invalid,
  notAllowed,
  type Problem,
  placesTaken,
  type Refusal,
  unknownReference,
  withArticle,
} from '../../errors.ts'
import { type Id, isGivenByClient } from '../../model/ids/id-kind.ts'
import type { ForeignKey, Link, Reference } from '../../model/model.ts'
import { noSuchRecord, pointerTo } from '../body/faults.ts'
import { BEFORE } from '../body/patch-marks.ts'
import { type Changes, comesBack, givenId, type Insert, isRemoved, type Update } from '../diff/changes.ts'
import type { Diff } from '../diff/diff.ts'
import { belowThemselves, leftWithout } from '../diff/move.ts'
import { type Facts, type Lookups, noLookups } from './lookups.ts'
import { needed } from './needed.ts'
import { type Permit, plannedActions } from './planned-actions.ts'
import { taken } from './taken.ts'

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
  const check = ({ resource: { references }, values, pointer }: Insert | Update): void => {
    for (let index = 0; index < references.length; index++) {
      const reference = references[index] as Reference
      const id = givenId(values, reference)
      if (id === null || id === undefined || reference.setByRule || isThere(reference, id)) continue
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
