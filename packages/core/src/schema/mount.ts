import type { Owns, Resource } from '../model/model.ts'
import type { Operation } from '../model/operations.ts'

/** One owner in a path, outermost first: `/book/:book_id/chapter` has one. */
export interface MountOwner {
  readonly owns: Owns
  /** The path parameter that holds the owner's id, e.g. `book_id`. */
  readonly param: string
}

/** A place at which a resource's operations are reached: on its own, or below the owners in the path. */
export interface Mount {
  readonly resource: Resource
  readonly owners: readonly MountOwner[]
}

/**
 * The operations as they are mounted. `createWithId` is POST with the id in the path, `replaceWithId` is PUT with the
 * id in the body.
 */
export type RouteKind = Operation | 'createWithId' | 'replaceWithId'

/** Whether the path ends in `/:id`. */
export function hasIdInPath(kind: RouteKind): boolean {
  return kind !== 'list' && kind !== 'create' && kind !== 'replaceWithId'
}

/**
 * The operation's name, e.g. `book.list`, or `book.chapters.create` below an owner: the outermost resource, the
 * relations down the path, the operation. No two operations of a model have the same.
 */
export function operationId(kind: RouteKind, mount: Mount, idPrefix = ''): string {
  const [outermost] = mount.owners
  const root = outermost === undefined ? mount.resource : outermost.owns.source
  const names = [root.key, ...mount.owners.map((owner) => owner.owns.name), kind]
  return idPrefix + names.map(escaped).join('.')
}

/** A relation's name may be any text, but only letters, digits and _ are safe in the names of generated code. */
function escaped(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/gu, (character) => `-${character.codePointAt(0)?.toString(16)}-`)
}
