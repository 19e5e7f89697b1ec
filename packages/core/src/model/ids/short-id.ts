import type { CollectionPath } from '../collection-path.ts'
import type { Field, ForeignKey, Relation, Resource } from '../model.ts'
import { joinedId, partsOfId } from './composite-id.ts'
import type { Id, IdKind } from './id-kind.ts'

// Bodies, answers and paths below an owner have short ids: without the part that is the owner's id, where ids have such
// a part. All else has whole ids. Only these functions turn one into the other.

export type IdForm = 'short' | 'whole'

/** The form in which a record at the end of a relation shows its id; undefined: at the top. */
export function idFormBehind(relation: Relation | undefined): IdForm {
  return relation?.kind === 'owns' ? 'short' : 'whole'
}

export function idKindOf({ id, shortId }: Resource, form: IdForm): IdKind {
  return form === 'short' ? shortId : id
}

/** The form in which the records of a collection show their ids. */
export function idFormIn({ relations, isTopLevel }: CollectionPath): IdForm {
  return isTopLevel ? 'whole' : idFormBehind(relations.at(-1))
}

/** The kind of the ids in the path of a collection. */
export function idKindIn(path: CollectionPath): IdKind {
  return idKindOf(path.resource, idFormIn(path))
}

/** What makes up the ids of a form; empty where they have a column of their own. */
export function idMembersOf({ id, shortId, idMembers }: Resource, form: IdForm): readonly (Field | ForeignKey)[] {
  return form === 'short' && shortId !== id ? idMembers.filter(({ kind }) => kind !== 'ownedBy') : idMembers
}

export function idColumnsOf(resource: Resource, form: IdForm): readonly [string, ...string[]] {
  if (form === 'whole' || resource.shortId === resource.id) return resource.idColumns
  const [first, ...others] = idMembersOf(resource, form).map(({ column }) => column)
  return [first as string, ...others]
}

/** The whole id of a record, from its short one and that of its owner; without an owner, it is whole. An id that no
 * record can have stays as it is. */
export function wholeId({ id, shortId, idMembers }: Resource, short: Id, owner: Id | undefined): Id {
  if (shortId === id || owner === undefined || shortId.fromJson(short) === undefined) return short
  const others = [...partsOfId(shortId, short)]
  return joinedId(idMembers.map(({ kind }) => (kind === 'ownedBy' ? owner : (others.shift() as Id))))
}

/**
 * The same of a new record, of which the short id or the owner's may not be known yet: then undefined. Where the
 * owner's part is the whole id, the short one makes no difference.
 */
export function idBelow(resource: Resource, short: Id | undefined, owner: Id | undefined): Id | undefined {
  if (owner === undefined && holdsOwner(resource)) return undefined
  if (isOwnersId(resource)) return owner
  return short === undefined ? undefined : wholeId(resource, short, owner)
}

/** The short id of a record, from its whole one. */
export function shortIdOf({ id, shortId, idMembers }: Resource, whole: Id): Id {
  if (shortId === id || id.fromJson(whole) === undefined) return whole
  const others = partsOfId(id, whole).filter((_, index) => idMembers[index]?.kind !== 'ownedBy')
  return shortId.parts === undefined ? (others[0] as Id) : joinedId(others)
}

/** Whether the owner's id is a part of the ids, or all of them. */
export function holdsOwner({ idMembers }: Resource): boolean {
  return idMembers.some(({ kind }) => kind === 'ownedBy')
}

/** Whether the owner's id is the whole id. */
export function isOwnersId({ idMembers }: Resource): boolean {
  return idMembers.length > 0 && idMembers.every(({ kind }) => kind === 'ownedBy')
}

/** The id of a record as the path of its collection spells it. */
export function idInPath(path: CollectionPath, whole: Id): Id {
  return idFormIn(path) === 'short' ? shortIdOf(path.resource, whole) : whole
}
