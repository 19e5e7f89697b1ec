import type { CollectionPath, JsonSchema, Resource } from '@fastify-crud/core/internal'
import { refToComponent } from './openapi-document.ts'

/**
 * The schemas that a resource can have:
 *
 * - `record`: what is returned; `page`: a list of them; `partial`: a record as `fields` and `include` choose it
 * - `deletedRecord`, `deletedPage` and `deletedFilter`: the same of deleted records
 * - `summary`: what another record shows of one that it needs or knows
 * - `create`, `replace`, `patch`: the bodies of POST, PUT and PATCH
 * - `createAt`: the body of a POST whose path has the id, where clients give ids
 * - `createInReplace`: a new record in what a PUT says of its owner, if that may carry read-only values
 * - `replaceWithId`, `patchWithId`: the same with a required `id`, for PUT on the collection and in owned arrays
 * - `filter`: which records a list has; `relatedFilter`: what holds of some, every or none of the records of a relation
 * - `recordAtTop` and others: the same where the path names no owner, so that they have the owners' foreign keys
 * - `nested`: the record beside a foreign key in a body; `link`: an element of an association in a body
 */
export const COMPONENT_KINDS = [
  'record',
  'recordAtTop',
  'page',
  'pageAtTop',
  'partial',
  'partialAtTop',
  'deletedRecord',
  'deletedRecordAtTop',
  'deletedPage',
  'deletedPageAtTop',
  'create',
  'createAtTop',
  'createAt',
  'createAtAtTop',
  'createInReplace',
  'replace',
  'replaceAtTop',
  'replaceWithId',
  'replaceWithIdAtTop',
  'patch',
  'patchAtTop',
  'patchWithId',
  'summary',
  'nested',
  'link',
  'filter',
  'deletedFilter',
  'relatedFilter',
] as const
export type ComponentKind = (typeof COMPONENT_KINDS)[number]

const AT_TOP = 'AtTop'

/** The kinds that differ where a path does not name the owners of its records. */
export type KindWithOwners = ComponentKind extends infer K ? (K extends `${infer Below}AtTop` ? Below : never) : never

/** The kind below an owner; undefined if it is that already. */
export function belowOwner(kind: ComponentKind): KindWithOwners | undefined {
  return kind.endsWith(AT_TOP) ? (kind.slice(0, -AT_TOP.length) as KindWithOwners) : undefined
}

/** References as the records of a path need them. */
export function refsAt({ resource, isTopLevel }: CollectionPath, refTo: RefTo): RefTo {
  if (!isTopLevel) return refTo
  return (of, kind) => {
    const atTop = `${kind}${AT_TOP}` as ComponentKind
    return refTo(of, of === resource && COMPONENT_KINDS.includes(atTop) ? atTop : kind)
  }
}

/** A reference to a resource's schema. */
export type RefTo = (resource: Resource, kind: ComponentKind) => JsonSchema

/** What OpenAPI allows in a component's name. */
const PREFIX = /^[A-Za-z0-9._-]*$/

/** Throws a TypeError unless the prefix can be part of a component's name. */
export function checkIdPrefix(idPrefix: string, option: string): void {
  if (!PREFIX.test(idPrefix)) {
    throw new TypeError(`${option}: must be of letters, digits, '.', '_' and '-' only, not '${idPrefix}'`)
  }
}

/** The name of a resource's schema, e.g. `book.record`. A resource's key has no dot, so no two are the same. */
export function componentId(resource: Resource, kind: ComponentKind, idPrefix = ''): string {
  return `${idPrefix}${resource.key}.${kind}`
}

/** The name of the schema of every error. */
export function problemId(idPrefix = ''): string {
  return `${idPrefix}problem`
}

/** How schemas refer to each other: `{ $ref: '#/components/schemas/book.record' }`. */
export function refsWith(idPrefix: string): RefTo {
  return (resource, kind) => ({ ...refToComponent('schemas', componentId(resource, kind, idPrefix)) })
}

/** Only letters, digits and _ are safe in the names of generated code. A relation or a field may have others in its
 * name. */
export function safeName(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/gu, (character) => `-${character.codePointAt(0)?.toString(16)}-`)
}
