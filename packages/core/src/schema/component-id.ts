import type { Resource } from '../model/model.ts'
import type { JsonSchema } from './json-schema.ts'

/**
 * The schemas that a resource can have:
 *
 * - `record`: what is answered; `page`: a list of them
 * - `summary`: what another record shows of one it needs or knows
 * - `create`, `replace`, `patch`: the bodies of POST, PUT and PATCH
 * - `replaceWithId`, `patchWithId`: the same with a required `id`, for PUT on the collection and in owned arrays
 * - `nested`: the read-only record beside a foreign key in a body; `link`: an element of an association in a body
 */
export type ComponentKind =
  | 'record'
  | 'page'
  | 'summary'
  | 'create'
  | 'replace'
  | 'replaceWithId'
  | 'patch'
  | 'patchWithId'
  | 'nested'
  | 'link'

/** A reference to a resource's schema. */
export type RefTo = (resource: Resource, kind: ComponentKind) => JsonSchema

/** What OpenAPI allows in a component's name. */
const PREFIX = /^[A-Za-z0-9._-]*$/

/** Throws a TypeError unless the prefix gives ids that are also component names in OpenAPI. */
export function checkIdPrefix(idPrefix: string): void {
  if (!PREFIX.test(idPrefix)) {
    throw new TypeError(`idPrefix has letters, digits, '.', '_' and '-' only, not '${idPrefix}'`)
  }
}

/** The `$id` of a resource's schema, e.g. `book.record`. A resource's key has no dot, so no two are the same. */
export function componentId(resource: Resource, kind: ComponentKind, idPrefix = ''): string {
  return `${idPrefix}${resource.key}.${kind}`
}

/** The `$id` of the schema of every error. */
export function problemId(idPrefix = ''): string {
  return `${idPrefix}problem`
}

/** What code generators and API references call the schema, e.g. `BookRecord`. */
export function componentTitle(resource: Resource, kind: ComponentKind): string {
  return capitalized(resource.key) + capitalized(kind)
}

/** How schemas refer to each other: `{ $ref: 'book.record#' }`. */
export function refsWith(idPrefix: string): RefTo {
  return (resource, kind) => ({ $ref: `${componentId(resource, kind, idPrefix)}#` })
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
