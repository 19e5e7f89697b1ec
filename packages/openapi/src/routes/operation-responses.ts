import { type JsonSchema, type Link, linkedPath, type Mount } from '@fastify-crud/core/internal'
import type { RefTo } from '../components/component-id.ts'
import type { AccessRules, Method, OpenApiResponse, Ref } from '../components/openapi-document.ts'
import { type Components, componentsIn } from '../components/openapi-document.ts'
import type { AddedResponse, OpenApiOptions } from '../openapi-options.ts'
import { EFFECTS_SCHEMA } from '../schemas/effects-schema.ts'
import { applicationProblemSchema, PROBLEM_MEDIA_TYPE, problemSchema } from '../schemas/problem-schema.ts'
import {
  isCreation,
  isUpdate,
  type LinkRouteKind,
  operationOf,
  type RouteKind,
  requiresIfMatch,
} from './describe-route.ts'
import {
  effectsResponse,
  type FailureName,
  failureResponse,
  HEAD_RESPONSE,
  NOT_MODIFIED,
  type ResponseContext,
  statusOf,
  successOf,
  withoutBody,
} from './success-response.ts'

/** What all operations of a document can answer, shared by them. */
export interface OperationResponses {
  /** The answers of one operation, by status. `success`: of an action that answers no record; without a reference, it
   * answers nothing. */
  readonly of: (
    kind: RouteKind | LinkRouteKind,
    method: Method,
    mount: Mount,
    link?: Link,
    success?: readonly [status: number, success: Ref | undefined],
  ) => Record<string, Ref>
  /** The answers to a batch. */
  readonly ofBatch: (success: OpenApiResponse) => Record<string, Ref>
  /** The answer where changes are asked for that are not kept any more. */
  readonly gone: () => Ref
  readonly responses: Components<OpenApiResponse>
  readonly headers: Components<JsonSchema>
}

export function operationResponses(
  refTo: RefTo,
  idPrefix: string,
  access: AccessRules,
  options: OpenApiOptions,
  schemas: Components<JsonSchema>,
  describes: ResponseContext['describes'],
): OperationResponses {
  const responses = componentsIn<OpenApiResponse>('responses', idPrefix)
  const headers = componentsIn<JsonSchema>('headers', idPrefix)
  const context: ResponseContext = {
    refTo,
    describes,
    responses,
    headers,
    effects: () => schemas.ref('effects', () => EFFECTS_SCHEMA),
    partial: options.partial ?? true,
    bulk: options.bulk ?? 'none',
  }
  const problem: JsonSchema = { ...schemas.ref('problem', () => problemSchema) }
  const added = addedResponses(options, () => ({
    ...schemas.ref('applicationProblem', () => applicationProblemSchema),
  }))

  const failure = (name: FailureName): Ref =>
    responses.ref(name, () => {
      const same = added.find(({ status }) => status === statusOf(name))
      return same === undefined
        ? failureResponse(name, problem)
        : withAdded(failureResponse(name, same.problem()), same)
    })

  const of: OperationResponses['of'] = (kind, method, mount, link, own) => {
    if (method === 'head') return { default: responses.ref('Head', () => HEAD_RESPONSE) }
    const other = responses.ref('Error', () => otherResponse(problem, headers, access.mayRefuse))
    const statuses: Record<string, Ref> = { default: other }
    for (const name of failuresOf(kind, mount, access)) statuses[statusOf(name)] = failure(name)
    for (const one of added) {
      if (one.isOf(method)) statuses[one.status] ??= responses.ref(`Status${one.status}`, () => orOther(one))
    }
    if (method === 'get') statuses[304] = responses.ref('NotModified', () => NOT_MODIFIED)
    else if (kind !== 'longList' && kind !== 'longGroup') context.effects()
    const mayLeaveOut = isUpdate(kind) || kind === 'deleteMany' || (own !== undefined && method === 'post')
    if (mayLeaveOut) statuses[204] = responses.ref('NoContent', () => withoutBody(context))
    // Last, because V8 lays out an object whose first index is as low as 200 as an array with 200 holes.
    const [status, success] =
      own ?? successOf(kind, link === undefined ? mount.path : linkedPath(mount.path, link.name), context)
    const answer = success ?? responses.ref('NoContent', () => withoutBody(context))
    if (status === 204) statuses[200] = responses.ref('Effects', () => effectsResponse(context))
    statuses[status] = answer
    if (context.bulk === 'all' && kind === 'replaceWithId') statuses[201] = answer
    return statuses
  }
  const ofBatch: OperationResponses['ofBatch'] = (success) => {
    const statuses: Record<string, Ref> = {
      default: responses.ref('Error', () => otherResponse(problem, headers, access.mayRefuse)),
    }
    for (const name of ['InvalidBody', 'NotFound', 'Conflict', 'PreconditionRequired'] as const)
      statuses[statusOf(name)] = failure(name)
    const { headers: ofEffects = {}, content } = effectsResponse(context)
    const made = { ...success, headers: ofEffects, content: { ...success.content, ...content } }
    statuses[200] = responses.ref('Batch', () => made)
    return statuses
  }
  return { of, ofBatch, gone: () => failure('Gone'), responses, headers }
}

function failuresOf(kind: RouteKind | LinkRouteKind, mount: Mount, { mayMiss }: AccessRules): FailureName[] {
  const names: (FailureName | false | undefined)[] = [
    hasBody(kind) ? 'InvalidBody' : 'Invalid',
    (mayMiss || canMiss(kind, mount)) && 'NotFound',
    conflictOf(kind),
    requiresIfMatch(kind, mount.path.resource) && 'PreconditionRequired',
  ]
  return names.filter((name) => name !== false && name !== undefined)
}

function hasBody(kind: RouteKind | LinkRouteKind): boolean {
  return (isUpdate(kind) && kind !== 'restore') || isCreation(kind) || kind === 'longList' || kind === 'longGroup'
}

/** Whether an id can name no record: the record's own, or an owner's. */
function canMiss(kind: RouteKind | LinkRouteKind, mount: Mount): boolean {
  const makesOrLists = operationOf(kind) === 'list' || kind === 'deleted' || isCreation(kind) || kind === 'deleteMany'
  return !makesOrLists || mount.owners.length > 0
}

function conflictOf(kind: RouteKind | LinkRouteKind): FailureName | undefined {
  switch (operationOf(kind)) {
    case 'list':
    case 'findOne':
    case 'deleted':
    case 'history':
      return undefined
    case 'create':
    case 'restore':
      return 'Taken'
    case 'replace':
    case 'patch':
    case 'undo':
      return 'Conflict'
    case 'delete':
    case 'purge':
      return 'StillNeeded'
  }
}

/** A status that the application adds to those of this library. */
interface Added {
  readonly status: number
  readonly response: OpenApiResponse
  /** The schema of problems with the status, those of this library too. */
  readonly problem: () => JsonSchema
  isOf(method: Method): boolean
}

/** Without `content`, an added status is answered as a problem. */
function addedResponses({ responses = {} }: OpenApiOptions, problem: () => JsonSchema): Added[] {
  return Object.entries(responses).map(([status, given]) => {
    const { methods, ...response }: AddedResponse = typeof given === 'string' ? { description: given } : given
    return {
      status: Number(status),
      problem,
      response: response.content ? response : { ...response, content: { [PROBLEM_MEDIA_TYPE]: { schema: problem() } } },
      isOf: (method) => methods === undefined || methods.some((one) => one.toLowerCase() === method),
    }
  })
}

/** An added status for an operation that does not list it. This library may answer it all the same, as a problem. */
function orOther({ status, response, problem }: Added): OpenApiResponse {
  if (!isOther(status)) return response
  return { ...response, content: { ...response.content, [PROBLEM_MEDIA_TYPE]: { schema: problem() } } }
}

/** A response of this library, where the application has declared the same status. */
function withAdded(ours: OpenApiResponse, { response }: Added): OpenApiResponse {
  return {
    ...response,
    ...ours,
    description: `${ours.description} Or: ${response.description}`,
    ...(ours.headers || response.headers ? { headers: { ...response.headers, ...ours.headers } } : {}),
    content: { ...response.content, ...ours.content },
  }
}

/** What every operation can answer, by status. It is not listed for each of them. */
const OTHERS: Readonly<Record<number, string>> = {
  403: 'access is denied (`CRUD_ERR_FORBIDDEN`).',
  412: 'the condition of `If-Match`, `If-None-Match` or `Effects-Match` is not met (`CRUD_ERR_PRECONDITION`).',
  413: 'the body is too large (`CRUD_ERR_BODY`).',
  415: 'the body is not JSON (`CRUD_ERR_BODY`).',
  422: 'the `Idempotency-Key` was already used with another body (`CRUD_ERR_REPEAT`).',
  500: 'the connection to the database was lost during the write, so it may or may not be done (`CRUD_ERR_OUTCOME_UNKNOWN`), or something else went wrong (`CRUD_ERR_INTERNAL`).',
  503: 'the database is busy or not available (`CRUD_ERR_BUSY`); try again.',
}

function isOther(status: number): boolean {
  return Object.hasOwn(OTHERS, status)
}

/** The `default` answer: what every operation can answer, and what hooks of the application answer. */
function otherResponse(problem: JsonSchema, headers: Components<JsonSchema>, canBeDenied: boolean): OpenApiResponse {
  const statuses = Object.entries(OTHERS).filter(([status]) => canBeDenied || status !== '403')
  return {
    description: ['Any other error.', ...statuses.map(([status, what]) => `${status}: ${what}`)].join(' '),
    headers: { 'Retry-After': headers.ref('RetryAfter', () => RETRY_AFTER) },
    content: { [PROBLEM_MEDIA_TYPE]: { schema: problem } },
  }
}

const RETRY_AFTER: JsonSchema = {
  description: 'With 503: after how many seconds to try again.',
  schema: { type: 'integer', minimum: 0 },
}
