import type { CollectionPath, JsonSchema, Operation, Resource } from '@fastify-crud/core/internal'
import { type RefTo, refsAt } from '../components/component-id.ts'
import type { Components } from '../components/components.ts'
import type { OpenApiResponse, Ref } from '../components/openapi-document.ts'
import type { DescribedBulk } from '../openapi-options.ts'
import { recordOrPart } from '../schemas/partial-schema.ts'
import { isCreation, type LinkRouteKind, type RouteKind } from './route-kind.ts'

/** What the answers of a document are made of. */
export interface ResponseContext {
  readonly refTo: RefTo
  readonly describes: (resource: string, operation: Operation) => boolean
  readonly responses: Components<OpenApiResponse>
  readonly headers: Components<JsonSchema>
  /** Whether clients can ask for a part of a record. */
  readonly partial: boolean
  readonly bulk: DescribedBulk
}

/** What an operation answers if all goes well. */
export function successOf(
  kind: RouteKind | LinkRouteKind,
  path: CollectionPath,
  all: ResponseContext,
): readonly [status: number, success: Ref] {
  const context = { ...all, refTo: refsAt(path, all.refTo) }
  const { refTo, responses } = context
  const { resource, isTopLevel } = path
  const nameOf = (what: string) => `${resource.key}.${what}${isTopLevel ? 'AtTop' : ''}`
  switch (kind) {
    case 'list':
    case 'linked': {
      const page = () => ({ description: 'A page of records.', ...json(refTo(resource, 'page')) })
      return [200, responses.ref(nameOf('page'), page)]
    }
    case 'group':
      return [200, responses.ref('Groups', () => ({ description: 'A page of groups.', ...json(GROUPS) }))]
    case 'delete':
    case 'link':
    case 'unlink':
      return [204, responses.ref('NoContent', () => withoutBody(context))]
    case 'patchMany':
      return [200, responses.ref(nameOf('many'), () => many(resource, context))]
    case 'deleteMany':
      return [200, responses.ref('Count', () => ({ description: 'How many records were deleted.', ...json(COUNT) }))]
    case 'findOne':
      return [200, responses.ref(nameOf('found'), () => found(resource, context))]
    case 'create':
    case 'createWithId':
    case 'replace':
    case 'replaceWithId':
    case 'patch':
      if (all.bulk === 'all' && (kind === 'create' || kind === 'replaceWithId')) {
        const answer = () => oneOrRows(resource, context)
        return [isCreation(kind) ? 201 : 200, responses.ref(nameOf('recordOrRows'), answer)]
      }
      // One for 200 and 201, as there is one for each resource.
      return [isCreation(kind) ? 201 : 200, responses.ref(nameOf('record'), () => ofRecord(resource, context))]
  }
}

/** An array has the records as they are, a filter how many there were. */
function many(resource: Resource, { refTo }: ResponseContext): OpenApiResponse {
  const rows = { type: 'array', items: refTo(resource, 'record') }
  const schema = { type: 'object', properties: { rows, count: COUNT.properties.count } }
  return { description: 'The records that were named, or how many matched.', ...json(schema) }
}

function found(resource: Resource, { refTo, headers, partial }: ResponseContext): OpenApiResponse {
  return {
    description: 'The record.',
    headers: { ETag: headers.ref('ETag', () => ETAG) },
    ...json(recordOrPart(resource, refTo, partial)),
  }
}

function ofRecord(resource: Resource, { refTo, describes, headers }: ResponseContext): OpenApiResponse {
  return {
    description: 'The record.',
    headers: {
      ETag: headers.ref('ETag', () => ETAG),
      ...(describes(resource.key, 'create') && { Location: headers.ref('Location', () => LOCATION) }),
    },
    ...json(refTo(resource, 'record')),
  }
}

/** The record, or all of them if the body is an array. */
function oneOrRows(resource: Resource, context: ResponseContext): OpenApiResponse {
  const record = context.refTo(resource, 'record')
  const rows = { type: 'object', properties: { rows: { type: 'array', items: record } }, required: ['rows'] }
  return { ...ofRecord(resource, context), ...json({ anyOf: [record, rows] }) }
}

/** DELETE, and other writes where the client wants no record. */
export function withoutBody({ headers }: ResponseContext): OpenApiResponse {
  return {
    description:
      'The write is done: a DELETE, a change of one link, or another write that `Prefer: return=minimal` asked to answer without a body.',
    headers: { 'Preference-Applied': headers.ref('PreferenceApplied', () => PREFERENCE_APPLIED) },
  }
}

export const HEAD_RESPONSE: OpenApiResponse = { description: 'The status and the headers of GET, without its body.' }

export const NOT_MODIFIED: OpenApiResponse = { description: 'The record still has the `ETag` of `If-None-Match`.' }

function json(schema: JsonSchema): Pick<OpenApiResponse, 'content'> {
  return { content: { 'application/json': { schema } } }
}

const ETAG: JsonSchema = {
  description: 'Identifies this version of the record, for `If-Match` and `If-None-Match`.',
  schema: { type: 'string' },
}
const PREFERENCE_APPLIED: JsonSchema = {
  description: 'The preferences of `Prefer` that a write has followed.',
  schema: { type: 'string' },
}
const LOCATION: JsonSchema = {
  description: 'With 201: the path of the new record. Absent with `Prefer: tx=rollback`.',
  schema: { type: 'string', format: 'uri-reference' },
}

const COUNT = {
  type: 'object',
  properties: { count: { type: 'integer', minimum: 0 } },
  required: ['count'],
} as const satisfies JsonSchema

/** A group has the names that the request asks for. */
const GROUPS: JsonSchema = {
  type: 'object',
  properties: {
    rows: { type: 'array', items: { type: 'object', additionalProperties: true } },
    count: { type: 'integer', minimum: 0 },
    countIs: { type: 'string', const: 'atLeast' },
  },
  required: ['rows'],
}
