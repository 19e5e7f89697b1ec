import type { AccessRules } from './access-rules.ts'
import { addedResponses, withAdded } from './added-responses.ts'
import { problemId, type RefTo } from './component-id.ts'
import { type Components, componentsIn } from './components.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Mount } from './mount.ts'
import { type Method, type OpenApiResponse, type Ref, refToComponent } from './openapi-document.ts'
import type { OpenApiOptions } from './openapi-options.ts'
import { type FailureName, failureResponse, statusOf } from './problem-responses.ts'
import { PROBLEM_MEDIA_TYPE } from './problem-schema.ts'
import { isUpdate, type RouteKind } from './route-kind.ts'

/** What all operations of a document can answer, shared by them. */
export interface OperationResponses {
  /** The answers of one operation, by status. */
  readonly of: (kind: RouteKind, method: Method, mount: Mount) => Record<string, Ref>
  readonly responses: Components<OpenApiResponse>
  readonly headers: Components<JsonSchema>
}

export function operationResponses(
  refTo: RefTo,
  idPrefix: string,
  access: AccessRules,
  options: OpenApiOptions,
): OperationResponses {
  const responses = componentsIn<OpenApiResponse>('responses', idPrefix)
  const headers = componentsIn<JsonSchema>('headers', idPrefix)
  const problem: JsonSchema = { ...refToComponent('schemas', problemId(idPrefix)) }
  const added = addedResponses(options, problem)

  const failure = (name: FailureName): Ref =>
    responses.ref(name, () => {
      const ours = failureResponse(name, problem)
      return added.filter(({ status }) => status === statusOf(name)).reduce(withAdded, ours)
    })

  const of = (kind: RouteKind, method: Method, mount: Mount): Record<string, Ref> => {
    if (method === 'head') {
      const headResponse = responses.ref('noBody', () => HEAD_RESPONSE)
      return { 200: headResponse, default: headResponse }
    }
    const statuses: Record<string, Ref> = { default: responses.ref('other', () => other(problem, headers)) }
    for (const name of failuresOf(kind, mount, access)) statuses[statusOf(name)] = failure(name)
    for (const { status, response, isOf } of added) {
      if (isOf(method)) statuses[status] ??= responses.ref(`status${status}`, () => response)
    }
    if (method === 'get') statuses[304] = responses.ref('notModified', () => NOT_MODIFIED)
    if (isUpdate(kind)) statuses[204] = responses.ref('done', () => doneWithoutBody(headers))
    // Last, because V8 lays out an object whose first index is as low as 200 as an array with 200 holes.
    const [status, success] = successOf(kind, mount, refTo, responses, headers)
    statuses[status] = success
    return statuses
  }
  return { of, responses, headers }
}

const HEAD_RESPONSE: OpenApiResponse = { description: 'The status and the headers of GET, without its body.' }

const NOT_MODIFIED: OpenApiResponse = { description: 'What `If-None-Match` names is still there.' }

function doneWithoutBody(headers: Components<JsonSchema>): OpenApiResponse {
  return {
    description: 'The write is done. `Prefer: return=minimal` asked for no body.',
    headers: { 'Preference-Applied': headers.ref('PreferenceApplied', () => PREFERENCE_APPLIED) },
  }
}

/** What every operation can answer, and what hooks of the application answer: it is not listed for each operation. */
function other(problem: JsonSchema, headers: Components<JsonSchema>): OpenApiResponse {
  return {
    description: ABOUT_OTHER,
    headers: { 'Retry-After': headers.ref('RetryAfter', () => RETRY_AFTER) },
    content: { [PROBLEM_MEDIA_TYPE]: { schema: problem } },
  }
}

const ABOUT_OTHER = [
  'Any other error.',
  '412: what `If-Match` or `If-None-Match` asks for is not so (`CRUD_ERR_PRECONDITION`).',
  '413: the body is too large (`CRUD_ERR_BODY`).',
  '415: the body is not JSON (`CRUD_ERR_BODY`).',
  '500: the connection to the database was lost during the write, so it may or may not be done (`CRUD_ERR_OUTCOME_UNKNOWN`), or something else went wrong (`CRUD_ERR_INTERNAL`).',
  '503: the database is busy or not available (`CRUD_ERR_BUSY`); try again.',
].join(' ')

const RETRY_AFTER: JsonSchema = {
  description: 'With 503: after how many seconds to try again.',
  schema: { type: 'integer', minimum: 0 },
}
const ETAG: JsonSchema = {
  description: 'Stands for the record as it is shown here. `If-Match` and `If-None-Match` take it.',
  schema: { type: 'string' },
}
const PREFERENCE_APPLIED: JsonSchema = {
  description: 'What the answer to a write has followed of `Prefer`.',
  schema: { type: 'string' },
}
const LOCATION: JsonSchema = {
  description: 'The path of the new record. Not there with `Prefer: tx=rollback`.',
  schema: { type: 'string', format: 'uri-reference' },
}

function successOf(
  kind: RouteKind,
  { path: { resource } }: Mount,
  refTo: RefTo,
  responses: Components<OpenApiResponse>,
  headers: Components<JsonSchema>,
): readonly [status: number, success: Ref] {
  const json = (component: 'page' | 'record') => ({
    content: { 'application/json': { schema: refTo(resource, component) } },
  })
  const etag = () => ({ ETag: headers.ref('ETag', () => ETAG) })
  const applied = () => ({ 'Preference-Applied': headers.ref('PreferenceApplied', () => PREFERENCE_APPLIED) })
  const named = (name: string, make: () => OpenApiResponse) => responses.ref(`${resource.key}.${name}`, make)
  switch (kind) {
    case 'list':
      return [200, named('page', () => ({ description: 'A page of records.', ...json('page') }))]
    case 'findOne':
    case 'replace':
    case 'replaceWithId':
    case 'patch':
      return [
        200,
        named('record', () => ({
          description: 'The record.',
          headers: etag(),
          ...json('record'),
        })),
      ]
    case 'create':
    case 'createWithId': {
      const ofNew = () => ({ Location: headers.ref('Location', () => LOCATION), ...etag() })
      return [201, named('created', () => ({ description: 'The new record.', headers: ofNew(), ...json('record') }))]
    }
    case 'delete':
      return [204, responses.ref('deleted', () => ({ description: 'The record is deleted.', headers: applied() }))]
  }
}

function failuresOf(kind: RouteKind, mount: Mount, access: AccessRules): FailureName[] {
  const hasBody = kind !== 'list' && kind !== 'findOne' && kind !== 'delete'
  const names: (FailureName | false | undefined)[] = [
    hasBody ? 'badBody' : 'badRequest',
    (access.asks || access.hasPolicies) && 'forbidden',
    canMiss(kind, mount) && 'notFound',
    conflictOf(kind),
    changesRecord(kind) && 'isStale',
    changesRecord(kind) && mount.path.resource.ifMatch === 'required' && 'needsIfMatch',
  ]
  return names.filter((name) => name !== false && name !== undefined)
}

/** Whether it changes or removes a record that is there. */
function changesRecord(kind: RouteKind): boolean {
  return kind === 'delete' || isUpdate(kind)
}

/** Whether an id can name no record: the record's own, or an owner's. */
function canMiss(kind: RouteKind, mount: Mount): boolean {
  const makesOrLists = kind === 'list' || kind === 'create' || kind === 'createWithId'
  return !makesOrLists || mount.owners.length > 0
}

function conflictOf(kind: RouteKind): FailureName | undefined {
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
