import type { Operation } from '../model/operations.ts'
import type { Mount } from './mount.ts'

/**
 * The operations as routes. `createWithId` is POST with the id in the path, `replaceWithId` is PUT with the id in the
 * body.
 */
export type RouteKind = Operation | 'createWithId' | 'replaceWithId'

/** Whether the path ends in `/:id`. */
export function hasIdInPath(kind: RouteKind): boolean {
  return kind !== 'list' && kind !== 'create' && kind !== 'replaceWithId'
}

/**
 * The name of a route's operation, e.g. `book.list`, or `book.chapters.create` below an owner: the topmost resource, the
 * relations down the path, the route's kind. No two routes of a model have the same name.
 */
export function operationId(kind: RouteKind, { place, owners }: Mount, idPrefix = ''): string {
  const root = owners[0]?.owns.source ?? place.resource
  const names = [root.key, ...owners.map(({ owns }) => owns.name), kind]
  return idPrefix + names.map(escaped).join('.')
}

/** Only letters, digits and _ are safe in the names of generated code. A relation's name may have others. */
function escaped(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/gu, (character) => `-${character.codePointAt(0)?.toString(16)}-`)
}
