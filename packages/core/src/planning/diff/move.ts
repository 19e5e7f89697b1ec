import type { Problem } from '../../errors.ts'
import type { Address } from '../../model/collection-path.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { OwnerReference, Resource } from '../../model/model.ts'
import { ownedTree } from '../../model/resource-tree.ts'
import type { Draft } from '../body/draft.ts'
import { NOT_NULL, pointerTo } from '../body/faults.ts'
import { refuseOtherOwners, type SaidOwner, saidOtherwise } from '../body/owners-in-body.ts'
import { type RecordData, type RecordOwner, visitOwned } from '../rows.ts'

/** A record that a body gives to another owner. */
export interface Move {
  readonly resource: Resource
  readonly id: Id
  /** Undefined: the record was a root. */
  readonly from: RecordOwner | undefined
  /** Undefined: it becomes a root. */
  readonly to: RecordOwner | undefined
  /** To the foreign key in the body. */
  readonly pointer: string
  /** Of the records that go with it, those that are asked about: filled in where they are read. */
  readonly below: { readonly resource: Resource; readonly id: Id }[]
  /** Where the record was and where it will be, with all owners above: filled in by a write, for who is asked by
   * address. */
  places: MovePlaces | undefined
}

export interface MovePlaces {
  readonly before: Address
  readonly after: Address
}

/** What a body says of owners, as far as their foreign keys are its record's own. */
export function saidByKeys({ resource: { movedBy }, values, pointer }: Draft): readonly SaidOwner[] {
  if (movedBy.length === 0) return NONE
  return movedBy.flatMap((by) => {
    const id = values[by.position] as Id | null | undefined
    return id === undefined ? [] : [{ by, id, pointer: pointerTo(pointer, by.foreignKey) }]
  })
}

const NONE: readonly never[] = []

/** Inside of its owner's record, a body may repeat the owner, and say no other one. */
export function refuseMove(draft: Draft, owner: RecordOwner, problems: Problem[]): void {
  if (draft.resource.movedBy.length > 0) refuseOtherOwners(owner, saidByKeys(draft), problems, ONLY_BY_ITSELF)
}

/** {@link refuseMove} inside of a record that is new, too: its id is not known yet, unless the client has chosen it. */
export function refuseOwnerOfNew(draft: Draft, owner: RecordOwner, problems: Problem[]): void {
  const wrong = saidOtherwise(owner, saidByKeys(draft))
  const ofOwner = wrong.find(({ by }) => by === owner.by)
  const others = wrong.filter((one) => one !== ofOwner)
  const message = 'leave it out: the owner is a new record, too'
  if (ofOwner !== undefined) problems.push({ pointer: ofOwner.pointer, message, keyword: 'readOnly' })
  refuseOtherOwners(owner, others, problems, ONLY_BY_ITSELF)
}

const ONLY_BY_ITSELF = 'a record is moved by a write of its own'

/** The move that a body asks for; undefined if the record stays. Adds to the problems why it has not exactly one owner
 * then. */
export function moveIn(
  draft: Draft,
  record: RecordData,
  owner: RecordOwner | undefined,
  problems: Problem[],
): Move | undefined {
  const { resource } = draft
  const changed = saidByKeys(draft).filter(({ by, id }) => id !== record[by.foreignKey])
  const [first] = changed
  if (first === undefined) return undefined
  const idAfter = (by: OwnerReference): Id | null => {
    const said = changed.find((one) => one.by === by)
    return said === undefined ? (owner?.by === by ? owner.id : null) : said.id
  }
  const named = resource.ownedBy.flatMap((by) => {
    const id = idAfter(by)
    return id === null ? [] : [{ by, id }]
  })
  const pointer = changed.find(({ id }) => id !== null)?.pointer ?? first.pointer
  const [to, second] = named
  if (second !== undefined) problems.push({ pointer, message: oneOwner(named), keyword: 'oneOwner' })
  else if (to === undefined && !resource.isRoot) {
    const names = resource.ownedBy.map(({ foreignKey }) => foreignKey)
    const message = `must not be null: one of ${names.join(', ')} names the owner`
    problems.push({ pointer, message, keyword: 'oneOwner' })
  }
  return { resource, id: record.id, from: owner, to, pointer, below: [], places: undefined }
}

function oneOwner(named: readonly RecordOwner[]): string {
  const names = named.map(({ by }) => `'${by.foreignKey}'`)
  return `a record has one owner, and here ${names.join(' and ')} would name one each: set the others to null`
}

/** The moves that leave an owner without the record that it must have. */
export function leftWithout(moves: readonly Move[]): readonly Problem[] {
  return moves.flatMap(({ from, pointer }) => {
    if (from === undefined || !from.by.inverse.required) return []
    if (moves.some(({ to }) => to?.by === from.by && to.id === from.id)) return []
    const { source, name } = from.by.inverse
    return [{ pointer, message: `must stay: ${source.key} ${from.id} must have its ${name}`, ...NOT_NULL }]
  })
}

/** Whether what the moved records own has to be known: a record may go below itself, or policies are asked about what
 * goes with it. */
export function concernsBelow(moves: readonly Move[], hasPolicy: (resource: Resource) => boolean): boolean {
  return moves.some(({ resource, to }) => {
    const tree = ownedTree(resource)
    return (to !== undefined && tree.includes(to.by.target)) || tree.some((one) => one !== resource && hasPolicy(one))
  })
}

/** Notes what goes with a moved record. `stored`: the ids of all that it owns. */
export function noteBelow({ resource, below }: Move, stored: RecordData): void {
  visitOwned(resource, stored, ({ target }, child) => {
    below.push({ resource: target, id: child.id })
    return true
  })
}

/**
 * Which other move of the same write takes the new owner of a record along, or moves that owner itself: the nearest one
 * above. Only records of trees have one. A record that goes below itself is its own.
 */
export function movesAbove(moves: readonly Move[]): (move: Move) => Move | undefined {
  const inTrees = moves.filter(({ resource }) => resource.recursive.length > 0)
  const nearest = new Map<Id, Move>()
  // What is further up takes more along.
  for (const move of inTrees.toSorted((one, other) => other.below.length - one.below.length)) {
    nearest.set(move.id, move)
    for (const { resource, id } of move.below) if (resource === move.resource) nearest.set(id, move)
  }
  return ({ resource, to }) => (to?.by.target === resource ? nearest.get(to.id) : undefined)
}

/** The moves by which a record would go below itself: alone, or several in a circle. */
export function belowThemselves(moves: readonly Move[]): readonly Problem[] {
  const above = movesAbove(moves)
  const seen = new Set<Move>()
  return moves.flatMap((first) => {
    const way: Move[] = []
    let next: Move | undefined = first
    for (; next !== undefined && !seen.has(next); next = above(next)) {
      seen.add(next)
      way.push(next)
    }
    const circle = next === undefined || !way.includes(next) ? NONE : way.slice(way.indexOf(next))
    return circle.map(isBelow)
  })
}

function isBelow({ resource, id, pointer }: Move): Problem {
  return { pointer, message: `is below ${resource.key} ${id}`, keyword: 'below' }
}
