import type { Fault, Problem } from '../../errors.ts'
import { joinedId, partsOfId } from '../../model/ids/composite-id.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { shortIdOf } from '../../model/ids/short-id.ts'
import { isObject } from '../../model/is-object.ts'
import type { Member, Resource } from '../../model/model.ts'
import type { BodyOperation } from '../../model/operations.ts'
import type { Draft, MutableDraft } from './draft.ts'
import { pointerTo } from './faults.ts'

// Where members make up the ids of a resource, a body may have the id, these members, or both.

/** The members of a body that make up the short id of its record. The owner's part is not among them. */
export function idMembersIn(resource: Resource): readonly Member[] {
  return resource.idMembers.filter((member) => member.kind !== 'ownedBy')
}

/** The short id that a body has, as `id` or as members; undefined if it has none. */
export function idInBody(resource: Resource, body: unknown): Id | undefined {
  if (!isObject(body)) return undefined
  if (body.id !== undefined) return resource.shortId.fromJson(body.id)
  const members = idMembersIn(resource)
  if (members.length === 0) return undefined
  const parts = members.map(({ property }) => (Object.hasOwn(body, property) ? body[property] : undefined))
  return shortIdFrom(resource, parts)
}

/** Undefined if one of the parts is missing, or cannot be one. */
function shortIdFrom({ shortId }: Resource, parts: readonly unknown[]): Id | undefined {
  if (shortId.parts === undefined) return shortId.fromJson(parts[0])
  const kinds = shortId.parts
  const read = parts.map((part, index) => kinds[index]?.fromJson(part))
  return read.every((part) => part !== undefined) ? joinedId(read) : undefined
}

/** The body of a POST or PUT with the id that its path has: the path need not be repeated. A PATCH leaves as they are
 * what it does not name. */
export function withPathId(resource: Resource, operation: BodyOperation, body: unknown, id: Id | undefined): unknown {
  // An id that is the owner's has no part for a body to repeat.
  if (idMembersIn(resource).length === 0 || operation === 'patch' || id === undefined) return body
  return isObject(body) && body.id === undefined ? { ...body, id: shortIdOf(resource, id) } : body
}

/**
 * Has the id and the members of a body say the same: what one of them lacks, the other has. A PATCH leaves the members
 * as they are, unless it names them.
 */
export function completeId(draft: MutableDraft, problems: Problem[]): void {
  const { resource, operation, values, pointer } = draft
  const members = idMembersIn(resource)
  if (members.length === 0) return
  if (draft.id === undefined) {
    // An id that is none is a problem already. Null keeps its members from also being reported as missing.
    if (draft.body.id !== undefined) for (const { position } of members) values[position] ??= null
    const parts = members.map(({ position }) => values[position])
    draft.id = shortIdFrom(resource, parts)
    if (operation === 'create') refuseUnchoosable(draft, members, parts, problems)
    refuseImpossible(draft, members, parts, problems)
    return
  }
  const parts = partsOfId(resource.shortId, draft.id)
  for (const [index, member] of members.entries()) {
    const { position, property } = member
    const part = parts[index] as Id
    const value = values[position]
    const at = pointerTo(pointer, property)
    if (value === undefined) {
      if (operation !== 'patch') values[position] = part
      // An id may name a record that breaks the rules of the member, but makes none.
      if (operation === 'create' && member.kind === 'field') {
        for (const { at: below, ...fault } of member.check(part)) problems.push({ pointer: at + below, ...fault })
      }
    } else if (value !== null && value !== part && !problems.some((one) => one.pointer === at)) {
      problems.push({ pointer: at, ...otherThan(part) })
    }
  }
}

/** What a field can hold may still be no part of an id: there are moments that not every database has. */
function refuseImpossible(
  { resource: { shortId }, pointer, body }: Draft,
  members: readonly Member[],
  parts: readonly unknown[],
  problems: Problem[],
): void {
  if (body.id !== undefined) return
  for (const [index, { property }] of members.entries()) {
    const [kind, part, at] = [shortId.parts?.[index] ?? shortId, parts[index], pointerTo(pointer, property)]
    const isImpossible = part !== undefined && part !== null && kind.fromJson(part) === undefined
    if (!isImpossible || problems.some((one) => one.pointer === at)) continue
    problems.push({ pointer: at, message: 'can be no part of an id', keyword: 'id', params: { type: shortId.name } })
  }
}

/** A single part has the rules of its kind: no path could name what breaks them. */
function refuseUnchoosable(
  { resource: { shortId }, pointer, id }: Draft,
  members: readonly Member[],
  parts: readonly unknown[],
  problems: Problem[],
): void {
  const [only] = members
  const isGiven = shortId.parts === undefined && parts[0] !== undefined && parts[0] !== null
  if (!isGiven || only === undefined || (id !== undefined && shortId.isChoosable(id))) return
  const at = pointerTo(pointer, only.property)
  if (problems.some((one) => one.pointer === at)) return
  problems.push({ pointer: at, message: shortId.choiceProblem, keyword: 'id', params: { type: shortId.name } })
}

/** The value of a member that should be a part of an id. */
export function otherThan(part: unknown): Fault {
  const message = `is not ${JSON.stringify(part)}, as in the id: the parts of an id never change`
  return { message, keyword: 'const', params: { allowedValue: part } }
}

/** Where a body has the id of a record: the id itself, the one member that makes it up, or all of the record. */
export function pointerToId(resource: Resource, body: Readonly<Record<string, unknown>>, pointer: string): string {
  const members = idMembersIn(resource)
  if (body.id !== undefined || members.length === 0) return pointerTo(pointer, 'id')
  const [only] = members
  return members.length === 1 && only !== undefined ? pointerTo(pointer, only.property) : pointer
}
