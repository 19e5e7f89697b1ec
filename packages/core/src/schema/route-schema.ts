import { type ComponentKind, type RefTo, refsWith } from './component-id.ts'
import { descriptionOf, summaryOf } from './describe-route.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Mount } from './mount.ts'
import { pageQuerySchema, paramsSchema } from './request-schemas.ts'
import { type ErrorName, emptyResponse, jsonResponse, type Responses, responsesOf } from './responses.ts'
import { operationId, type RouteKind } from './route-kind.ts'

/** What is the same for all routes of a model. */
export interface RouteSettings {
  /** The prefix that the schemas were made with. Default: nothing. */
  readonly idPrefix?: string
  /** How many records a list answers where the query does not say. */
  readonly defaultPage: number
  /** The most records that a list answers. */
  readonly maxPage: number
  /** Whether access can be denied. */
  readonly guarded: boolean
}

/** A route's `schema` for Fastify, as @fastify/swagger reads it. */
export interface RouteSchema {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly params?: JsonSchema
  readonly querystring?: JsonSchema
  readonly body?: JsonSchema
  readonly response: Responses
}

/**
 * Documents one route of a mount. The result refers to the schemas of `schemasOf`.
 *
 * @example
 * for (const mount of mountsOf(resources)) routeSchema('list', mount, { defaultPage: 20, maxPage: 100, guarded: false })
 */
export function routeSchema(kind: RouteKind, mount: Mount, settings: RouteSettings): RouteSchema {
  const { idPrefix = '', defaultPage, maxPage, guarded } = settings
  const refTo = refsWith(idPrefix)
  const params = paramsSchema(kind, mount)
  const body = bodyOf(kind)
  return {
    operationId: operationId(kind, mount, idPrefix),
    summary: summaryOf(kind, mount),
    description: descriptionOf(kind, mount),
    tags: [mount.place.resource.key],
    ...(params && { params }),
    ...(kind === 'list' && { querystring: pageQuerySchema(defaultPage, maxPage) }),
    ...(body && { body: refTo(mount.place.resource, body) }),
    response: responsesOf(successOf(kind, mount, refTo), errorsOf(kind, mount, guarded), idPrefix),
  }
}

function bodyOf(kind: RouteKind): ComponentKind | undefined {
  switch (kind) {
    case 'create':
    case 'createWithId':
      return 'create'
    case 'replace':
    case 'replaceWithId':
    case 'patch':
      return kind
    case 'list':
    case 'findOne':
    case 'delete':
      return undefined
  }
}

function successOf(kind: RouteKind, mount: Mount, refTo: RefTo): readonly [status: number, success: JsonSchema] {
  const record = refTo(mount.place.resource, 'record')
  switch (kind) {
    case 'list':
      return [200, jsonResponse('A page of records.', refTo(mount.place.resource, 'page'))]
    case 'findOne':
      return [200, jsonResponse('The record.', record)]
    case 'create':
    case 'createWithId':
      return [201, jsonResponse('The new record.', record, LOCATION)]
    case 'replace':
    case 'replaceWithId':
    case 'patch':
      return [200, jsonResponse('The record as it is now.', record)]
    case 'delete':
      return [204, emptyResponse('The record is gone.')]
  }
}

const LOCATION: JsonSchema = {
  Location: { type: 'string', format: 'uri-reference', description: 'Where the new record is.' },
}

function errorsOf(kind: RouteKind, mount: Mount, guarded: boolean): ErrorName[] {
  const hasBody = bodyOf(kind) !== undefined
  const names: (ErrorName | false | undefined)[] = [
    hasBody ? 'badBody' : 'badRequest',
    guarded && 'forbidden',
    canMiss(kind, mount) && 'notFound',
    conflictOf(kind),
    hasBody && 'tooLarge',
    hasBody && 'wrongMediaType',
    'internal',
    'busy',
  ]
  return names.filter((name) => name !== false && name !== undefined)
}

/** Whether an id can name no record: the record's own, or an owner's. */
function canMiss(kind: RouteKind, mount: Mount): boolean {
  const makesOrLists = kind === 'list' || kind === 'create' || kind === 'createWithId'
  return !makesOrLists || mount.owners.length > 0
}

function conflictOf(kind: RouteKind): ErrorName | undefined {
  switch (kind) {
    case 'list':
    case 'findOne':
      return undefined
    case 'create':
    case 'createWithId':
      return 'taken'
    case 'replace':
    case 'replaceWithId':
    case 'patch':
      return 'conflict'
    case 'delete':
      return 'stillNeeded'
  }
}
