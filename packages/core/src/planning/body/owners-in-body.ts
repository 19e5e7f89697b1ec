import type { BodyProblem, Problem } from '../../errors.ts'
import { partsOfId } from '../../model/ids/composite-id.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { holdsOwner, shortIdOf, wholeId } from '../../model/ids/short-id.ts'
import { isObject } from '../../model/is-object.ts'
import type { OwnerReference, Resource } from '../../model/model.ts'
import type { BodyOperation } from '../../model/operations.ts'
import type { RecordOwner } from '../rows.ts'
import { lacks, notAnId, pointerTo } from './faults.ts'
import { idInBody } from './id-of-body.ts'
import { BEFORE, isPlaced } from './patch-marks.ts'

// Where a request does not name the owners of a record, its body may: it has the foreign keys of owners, and the whole
// id.

/** What a body says of one owner. */
export interface SaidOwner {
  readonly by: OwnerReference
  /** Null: the relation has no owner. */
  readonly id: Id | null
  /** Where the body says it. */
  readonly pointer: string
}

/** A body, taken apart. */
interface TopLevelBody {
  /** What the body would be below the owner. */
  readonly below: unknown
  readonly said: readonly SaidOwner[]
  /** The id of the element behind it, where that is no short one. */
  readonly before?: unknown
}

/** Takes from a body what it says of owners. What moves a record that is there is left in it. */
export function takeOwners(
  resource: Resource,
  operation: BodyOperation,
  body: unknown,
  problems: Problem[],
): TopLevelBody {
  if (!isObject(body)) return { below: body, said: [] }
  const said: SaidOwner[] = []
  const taken = resource.ownedBy.filter((by) => operation === 'create' || by.position === undefined)
  const keys = new Map(taken.map((by) => [by.foreignKey, by]))
  const below: [name: string, value: unknown][] = []
  const saysWhole = resource.id !== resource.shortId && isPlaced(resource)
  let before: unknown
  for (const [name, value] of Object.entries(body)) {
    const by = keys.get(name)
    if (by !== undefined) readKey(by, value, said, problems)
    else if (name === BEFORE && saysWhole) before = value
    else below.push([name, name === 'id' ? readWholeId(resource, value, said, problems) : value])
  }
  return { below: Object.fromEntries(below), said, before }
}

/** The whole id that a body has; undefined if it has none. */
export function wholeIdInBody(resource: Resource, body: unknown): Id | undefined {
  const { below, said } = takeOwners(resource, 'create', body, [])
  const id = idInBody(resource, below)
  const owner = said.find((one) => one.id !== null)?.id ?? undefined
  return id === undefined || (owner === undefined && holdsOwner(resource)) ? undefined : wholeId(resource, id, owner)
}

function readKey(by: OwnerReference, value: unknown, said: SaidOwner[], problems: Problem[]): void {
  if (value === undefined) return
  const pointer = pointerTo('', by.foreignKey)
  const id = value === null ? null : by.target.id.fromJson(value)
  if (id === undefined) problems.push({ pointer, ...notAnId(by.target.id) })
  else said.push({ by, id, pointer })
}

/** Returns the short id. */
function readWholeId(resource: Resource, value: unknown, said: SaidOwner[], problems: Problem[]): unknown {
  const { id: kind, shortId } = resource
  const id = kind.fromJson(value)
  if (id === undefined) {
    if (kind === shortId || value === undefined) return value
    problems.push({ pointer: '/id', ...notAnId(kind) })
    return undefined
  }
  said.push(...ownersInId(resource, id, '/id'))
  return kind === shortId ? value : shortIdOf(resource, id)
}

/** The owner that is a part of a whole id; empty where ids have no such part. */
export function ownersInId({ id: kind, idMembers }: Resource, id: Id, pointer: string): readonly SaidOwner[] {
  const parts = idMembers.length === 1 ? [id] : partsOfId(kind, id)
  return idMembers.flatMap((member, index) =>
    member.kind === 'ownedBy' ? [{ by: member, id: parts[index] as Id, pointer }] : [],
  )
}

/** The owner of a new record: a body names exactly one. Undefined where something is wrong with what it says. */
export function ownerOfNew(
  resource: Resource,
  said: readonly SaidOwner[],
  problems: Problem[],
): RecordOwner | undefined {
  const [first, ...others] = said.filter(({ id }) => id !== null)
  if (first === undefined) {
    if (!resource.ownedBy.some(({ foreignKey }) => isFaulty(foreignKey, problems))) problems.push(lacksOwner(resource))
    return undefined
  }
  const owner = { by: first.by, id: first.id as Id }
  const second = others.find(({ by }) => by !== owner.by)
  if (second !== undefined) {
    const message = `must be null, or left out: '${owner.by.foreignKey}' names the owner already`
    problems.push({ pointer: second.pointer, message, keyword: 'oneOwner' })
  }
  refuseOtherOwners(
    owner,
    others.filter(({ by }) => by === owner.by),
    problems,
  )
  return owner
}

function isFaulty(foreignKey: string, problems: readonly Problem[]): boolean {
  return problems.some(({ pointer }) => pointer === pointerTo('', foreignKey))
}

function lacksOwner({ ownedBy: [first, ...others] }: Resource): BodyProblem {
  const [key, ...otherKeys] = [first as OwnerReference, ...others].map(({ foreignKey }) => foreignKey) as [
    string,
    ...string[],
  ]
  if (otherKeys.length === 0) return { ...lacks('', key), message: 'is required: it names the owner' }
  const message = `one of ${[key, ...otherKeys].join(', ')} is required: it names the owner`
  return { pointer: '', message, keyword: 'oneOwner' }
}

/** Adds a problem for each owner that is said to be another one. */
export function refuseOtherOwners(
  owner: RecordOwner,
  said: readonly SaidOwner[],
  problems: Problem[],
  why = 'a record stays with its owner',
): void {
  for (const { by, pointer } of saidOtherwise(owner, said)) {
    const known = by === owner.by ? owner.id : null
    const message = `is not ${JSON.stringify(known)}: ${why}`
    problems.push({ pointer, message, keyword: 'const', params: { allowedValue: known } })
  }
}

/** What is said of owners that is not so. */
export function saidOtherwise(owner: RecordOwner, said: readonly SaidOwner[]): readonly SaidOwner[] {
  return said.filter(({ by, id }) => id !== (by === owner.by ? owner.id : null))
}
