import type { Id } from '@fastify-crud/core'
import {
  type Address,
  type CollectionPath,
  type OwnerKind,
  ownedTree,
  type Resource,
  type ResourcesInRecord,
} from '@fastify-crud/core/internal'
import type { Action } from './authorize.ts'

/** May the request do this to a record of the resource? */
export interface Question {
  readonly action: Action
  readonly resource: Resource
  /** Of a record that the path names; undefined for all others. */
  readonly id: Id | undefined
  /** The action and the resource, as a key of maps. */
  readonly pair: string
}

function questionOf(action: Action, resource: Resource, id?: Id): Question {
  return { action, resource, id, pair: `${action} ${resource.key}` }
}

/** A request may see the records of a resource if the answer to each of these questions is yes. */
export interface View {
  readonly resource: Resource
  readonly questions: readonly Question[]
}

/** `path`: that of the request. */
export function viewsOf(path: CollectionPath, { owned, related }: ResourcesInRecord): readonly View[] {
  const viewOf = (resource: Resource, owner: OwnerKind) => ({
    resource,
    questions: questionsAbout('View', resource, owner, path),
  })
  return [
    ...owned.map((resource) => viewOf(resource, 'inside')),
    ...related.map((resource) => viewOf(resource, 'outside')),
  ]
}

/**
 * The questions that decide about an action on a record: about its resource, or with `authorizedBy: 'owner'` about its
 * owner's. If nothing tells what owns the record, about all that may own it. `path`: that of the request.
 */
export function questionsAbout(
  action: Action,
  resource: Resource,
  owner: OwnerKind,
  path: CollectionPath,
): readonly Question[] {
  const itself = questionOf(action, resource)
  if (resource.authorizedBy === undefined || owner === 'none') return [itself]
  const ofOwner = actionOnOwner(action)
  const scope = owner === 'outside' ? 'outside' : 'inside'
  const found: Question[] = []
  const owners = new Set(possibleOwners(resource, owner, path))
  // A set grows while it is walked: each owner is visited once, also where a resource owns itself.
  for (const one of owners) {
    if (one === 'none') found.push(itself)
    else if (one.authorizedBy === undefined) found.push(questionOf(ofOwner, one))
    else {
      for (const above of possibleOwners(one, scope, path)) {
        if (above !== 'none') owners.add(above)
        else found.push(questionOf(ofOwner, one))
      }
    }
  }
  // In a circle of owners, there is no other resource to ask about.
  return found.length > 0 ? found : [itself]
}

/** What an endpoint does to the record at its address. */
interface EndpointAccess {
  readonly action: Action
  readonly id: Id | undefined
  /** It creates the record there. */
  readonly isNew: boolean
}

/** The questions of an endpoint about the record at the address, or about a new one there. */
export function questionsAt({ path, owners }: Address, { action, id, isNew }: EndpointAccess): readonly Question[] {
  const { resource, relations } = path
  if (resource.authorizedBy === undefined) return [questionOf(action, resource, id)]
  const ofOwner = actionOnOwner(action)
  const level = relations.findLastIndex(({ source }) => source.authorizedBy === undefined)
  const decisive = relations[level]
  if (decisive !== undefined) return [questionOf(ofOwner, decisive.source, idOfRecord(decisive.source, owners[level]))]
  // The path begins with a record of a tree, which may be its root or belong to another record.
  const [first] = relations
  const top =
    first === undefined
      ? questionOf(action, resource, id)
      : questionOf(ofOwner, first.source, idOfRecord(first.source, owners[0]))
  const owner = first === undefined && isNew ? 'none' : 'outside'
  return questionsAbout(top.action, top.resource, owner, path).map((question) =>
    question.pair === top.pair ? top : question,
  )
}

/** The questions that decide whether a request may see the owner of a record at an address. `path`: that of the
 * request. */
export function questionsAboutOwner(at: Address, path: CollectionPath): readonly Question[] {
  const { resource, relations } = at.path
  if (resource.authorizedBy !== undefined) return questionsAt(at, { action: 'View', id: undefined, isNew: true })
  const owner = relations.at(-1)?.source
  return owner === undefined ? [] : questionsAbout('View', owner, 'outside', path)
}

function actionOnOwner(action: Action): Action {
  return action === 'View' ? 'View' : 'Edit'
}

function possibleOwners(resource: Resource, owner: OwnerKind, path: CollectionPath): readonly (Resource | 'none')[] {
  switch (owner) {
    case 'addressed':
      return path.relations.length === 0 ? allOwners(resource) : path.relations.slice(-1).map(({ source }) => source)
    case 'inside':
      return ownersInside(resource, path)
    case 'outside':
      return allOwners(resource)
    default:
      return [owner]
  }
}

/** What may own a record that the path names, or one below the record at the path. */
function ownersInside(resource: Resource, path: CollectionPath): readonly (Resource | 'none')[] {
  const { relations } = path
  const top = relations[0]?.source ?? path.resource
  const tree = ownedTree(path.resource)
  return [
    ...relations.filter(({ target }) => target === resource).map(({ source }) => source),
    ...resource.ownedBy.map(({ target }) => target).filter((target) => tree.includes(target)),
    ...(top === resource ? allOwners(resource) : []),
  ]
}

function allOwners({ ownedBy, isRoot }: Resource): readonly (Resource | 'none')[] {
  return [...ownedBy.map(({ target }) => target), ...(isRoot ? ['none' as const] : [])]
}

/** Undefined for an id that no record can have: it must not be taken for that of another record. */
export function idOfRecord({ id: kind }: Resource, id: Id | undefined): Id | undefined {
  return kind.fromJson(id)
}
