import type { CrudErrorCode } from '@fastify-crud/core'
import {
  type CollectionPath,
  errorKinds,
  type JsonSchema,
  type Operation,
  type Resource,
} from '@fastify-crud/core/internal'
import { type RefTo, refsAt } from '../components/component-id.ts'
import type { Components, OpenApiResponse, Ref } from '../components/openapi-document.ts'
import type { DescribedBulk } from '../openapi-options.ts'
import { EFFECTS_MEDIA_TYPE } from '../schemas/effects-schema.ts'
import { recordOrPart } from '../schemas/partial-schema.ts'
import { PROBLEM_MEDIA_TYPE, problemType } from '../schemas/problem-schema.ts'
import { isCreation, type LinkRouteKind, type RouteKind } from './describe-route.ts'

/** What the answers of a document are made of. */
export interface ResponseContext {
  readonly refTo: RefTo
  readonly describes: (resource: string, operation: Operation) => boolean
  readonly responses: Components<OpenApiResponse>
  readonly headers: Components<JsonSchema>
  /** The form of effects. Only answers that are empty without it refer to it: the types of openapi-fetch would make
   * each other answer one of two things. */
  readonly effects: () => Ref
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
    case 'longList':
    case 'linked': {
      const page = () => ({ description: 'A page of records.', ...json(refTo(resource, 'page')) })
      return [200, responses.ref(nameOf('page'), page)]
    }
    case 'group':
    case 'longGroup':
      return [200, responses.ref('Groups', () => ({ description: 'A page of groups.', ...json(GROUPS) }))]
    case 'deleted': {
      const page = () => ({ description: 'A page of deleted records.', ...json(refTo(resource, 'deletedPage')) })
      return [200, responses.ref(nameOf('deletedPage'), page)]
    }
    case 'deletedOne':
      return [200, responses.ref(nameOf('foundDeleted'), () => found(resource, context, 'deletedRecord'))]
    case 'delete':
    case 'purge':
    case 'link':
    case 'unlink':
      return [204, responses.ref('NoContent', () => withoutBody(context))]
    case 'patchMany':
      return [200, responses.ref(nameOf('many'), () => many(resource, context))]
    case 'deleteMany':
      return [200, responses.ref('Count', counted)]
    case 'findOne':
      return [200, responses.ref(nameOf('found'), () => found(resource, context))]
    case 'create':
    case 'createWithId':
    case 'replace':
    case 'replaceWithId':
    case 'patch':
    case 'restore':
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

function found(
  resource: Resource,
  { refTo, headers, partial }: ResponseContext,
  kind: 'record' | 'deletedRecord' = 'record',
): OpenApiResponse {
  return {
    description: 'The record.',
    headers: { ETag: headers.ref('ETag', () => ETAG) },
    ...json(recordOrPart(resource, refTo, partial, kind)),
  }
}

function ofRecord(resource: Resource, context: ResponseContext): OpenApiResponse {
  const { refTo, describes, headers } = context
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

function counted(): OpenApiResponse {
  return { description: 'How many records were deleted.', ...json(COUNT) }
}

/** What a write without an answer of its own does, where `Prefer: return=effects` asks for it. */
export function effectsResponse(context: ResponseContext): OpenApiResponse {
  return {
    description: 'What the write has done, which `Prefer: return=effects` asked for.',
    headers: {
      'Preference-Applied': context.headers.ref('PreferenceApplied', () => PREFERENCE_APPLIED),
      'Effects-Tag': context.headers.ref('EffectsTag', () => EFFECTS_TAG),
    },
    content: { [EFFECTS_MEDIA_TYPE]: { schema: { ...context.effects() } } },
  }
}

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
const EFFECTS_TAG: JsonSchema = {
  description: 'Of a preview: identifies its effects, for `Effects-Match`.',
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
    countIs: { type: 'string', enum: ['atLeast'] },
  },
  required: ['rows'],
}

/** One way in which an operation can fail. */
interface Failure {
  readonly status: number
  readonly description: string
  readonly code: CrudErrorCode
  readonly detail: string
  readonly pointer?: string
}

/** By the name of the component. */
const FAILURES = {
  Invalid: {
    status: 400,
    description:
      'The query, a header or an id in the path is not valid (`CRUD_ERR_INVALID`), or the answer would be too large, or more records would be removed than `max-affected` allows (`CRUD_ERR_TOO_LARGE`).',
    code: 'CRUD_ERR_INVALID',
    detail: 'the request is not valid',
  },
  InvalidBody: {
    status: 400,
    description:
      'The body, the query, a header or an id in the path is not valid (`CRUD_ERR_INVALID`), the body names a record that does not exist or has another owner (`CRUD_ERR_UNKNOWN_REFERENCE`), or more records would be written than `max-affected` allows (`CRUD_ERR_TOO_LARGE`). `errors` lists every problem.',
    code: 'CRUD_ERR_INVALID',
    detail: '/name: is required',
    pointer: '/name',
  },
  NotFound: {
    status: 404,
    description: 'An id in the path names no record, or a record of another owner (`CRUD_ERR_NOT_FOUND`).',
    code: 'CRUD_ERR_NOT_FOUND',
    detail: 'there is no record 7',
  },
  Gone: {
    status: 410,
    description: 'The changes behind that position are not all kept any more (`CRUD_ERR_GONE`): read the records anew.',
    code: 'CRUD_ERR_GONE',
    detail: 'the changes behind 7 are not all kept any more',
  },
  Conflict: {
    status: 409,
    description:
      'A unique value is taken (`CRUD_ERR_NOT_UNIQUE`), a record that would be removed is still needed (`CRUD_ERR_STILL_NEEDED`), or a rule or the database refused the change (`CRUD_ERR_REFUSED`).',
    code: 'CRUD_ERR_NOT_UNIQUE',
    detail: 'the value is taken',
  },
  Taken: {
    status: 409,
    description:
      'The id is taken, or the owner has its only record (`CRUD_ERR_EXISTS`), a unique value is taken (`CRUD_ERR_NOT_UNIQUE`), or a rule or the database refused the change (`CRUD_ERR_REFUSED`).',
    code: 'CRUD_ERR_EXISTS',
    detail: 'the record exists already',
  },
  PreconditionRequired: {
    status: 428,
    description: 'The request needs `If-Match` (`CRUD_ERR_PRECONDITION`).',
    code: 'CRUD_ERR_PRECONDITION',
    detail: 'send If-Match, with the ETag of the record as you have read it',
  },
  StillNeeded: {
    status: 409,
    description:
      'The record, or one that would be deleted with it, is still needed (`CRUD_ERR_STILL_NEEDED`), or a rule or the database refused the change (`CRUD_ERR_REFUSED`).',
    code: 'CRUD_ERR_STILL_NEEDED',
    detail: 'the record is still needed by 2 others',
  },
} as const satisfies Readonly<Record<string, Failure>>

/** Of statuses that are not the one of their code. */
const STATUS_TITLES: Readonly<Record<number, string>> = { 428: 'Precondition Required' }

export type FailureName = keyof typeof FAILURES

export function statusOf(name: FailureName): number {
  return FAILURES[name].status
}

/** What is answered to a request that fails so. */
export function failureResponse(name: FailureName, problem: JsonSchema): OpenApiResponse {
  const failure: Failure = FAILURES[name]
  return {
    description: failure.description,
    content: { [PROBLEM_MEDIA_TYPE]: { schema: problem, example: exampleOf(failure) } },
  }
}

function missing(pointer: string): JsonSchema {
  const params = { missingProperty: pointer.slice(1) }
  return { pointer, message: 'is required', keyword: 'required', params }
}

function exampleOf({ status, code, detail, pointer }: Failure): JsonSchema {
  return {
    type: problemType(code),
    title: STATUS_TITLES[status] ?? errorKinds[code].title,
    status,
    code,
    detail,
    errors: pointer === undefined ? [] : [missing(pointer)],
  }
}
