import { type JsonSchema, type Link, linkedPath, type Mount } from '@fastify-crud/core/internal'
import type { AccessRules } from '../components/access-rules.ts'
import type { RefTo } from '../components/component-id.ts'
import { type Components, componentsIn } from '../components/components.ts'
import type { Method, OpenApiResponse, Ref } from '../components/openapi-document.ts'
import type { OpenApiOptions } from '../openapi-options.ts'
import { applicationProblemSchema, problemSchema } from '../schemas/problem-schema.ts'
import { addedResponses, orOther, withAdded } from './added-responses.ts'
import { otherResponse } from './other-response.ts'
import { type FailureName, failureResponse, statusOf } from './problem-responses.ts'
import { isCreation, isUpdate, type LinkRouteKind, operationOf, type RouteKind, requiresIfMatch } from './route-kind.ts'
import { HEAD_RESPONSE, NOT_MODIFIED, type ResponseContext, successOf, withoutBody } from './success-response.ts'

/** What all operations of a document can answer, shared by them. */
export interface OperationResponses {
  /** The answers of one operation, by status. */
  readonly of: (kind: RouteKind | LinkRouteKind, method: Method, mount: Mount, link?: Link) => Record<string, Ref>
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
    partial: options.partial ?? true,
    bulk: options.bulk ?? 'none',
  }
  const problem: JsonSchema = { ...schemas.ref('problem', () => problemSchema) }
  const added = addedResponses(options, () => ({
    ...schemas.ref('applicationProblem', () => applicationProblemSchema),
  }))
  const canBeDenied = access.asks || access.hasPolicies || access.hasTenants

  const failure = (name: FailureName): Ref =>
    responses.ref(name, () => {
      const same = added.find(({ status }) => status === statusOf(name))
      return same === undefined
        ? failureResponse(name, problem)
        : withAdded(failureResponse(name, same.problem()), same)
    })

  const of: OperationResponses['of'] = (kind, method, mount, link) => {
    if (method === 'head') return { default: responses.ref('Head', () => HEAD_RESPONSE) }
    const other = responses.ref('Error', () => otherResponse(problem, headers, canBeDenied))
    const statuses: Record<string, Ref> = { default: other }
    for (const name of failuresOf(kind, mount, access)) statuses[statusOf(name)] = failure(name)
    for (const one of added) {
      if (one.isOf(method)) statuses[one.status] ??= responses.ref(`Status${one.status}`, () => orOther(one))
    }
    if (method === 'get') statuses[304] = responses.ref('NotModified', () => NOT_MODIFIED)
    if (isUpdate(kind) || kind === 'deleteMany') statuses[204] = responses.ref('NoContent', () => withoutBody(context))
    // Last, because V8 lays out an object whose first index is as low as 200 as an array with 200 holes.
    const [status, success] = successOf(
      kind,
      link === undefined ? mount.path : linkedPath(mount.path, link.name),
      context,
    )
    statuses[status] = success
    if (context.bulk === 'all' && kind === 'replaceWithId') statuses[201] = success
    return statuses
  }
  return { of, responses, headers }
}

function failuresOf(kind: RouteKind | LinkRouteKind, mount: Mount, { hasTenants }: AccessRules): FailureName[] {
  const names: (FailureName | false | undefined)[] = [
    hasBody(kind) ? 'InvalidBody' : 'Invalid',
    // The application may have the tenant from the path.
    (hasTenants || canMiss(kind, mount)) && 'NotFound',
    conflictOf(kind),
    requiresIfMatch(kind, mount.path.resource) && 'PreconditionRequired',
  ]
  return names.filter((name) => name !== false && name !== undefined)
}

function hasBody(kind: RouteKind | LinkRouteKind): boolean {
  return isUpdate(kind) || isCreation(kind)
}

/** Whether an id can name no record: the record's own, or an owner's. */
function canMiss(kind: RouteKind | LinkRouteKind, mount: Mount): boolean {
  const makesOrLists = operationOf(kind) === 'list' || isCreation(kind) || kind === 'deleteMany'
  return !makesOrLists || mount.owners.length > 0
}

function conflictOf(kind: RouteKind | LinkRouteKind): FailureName | undefined {
  switch (operationOf(kind)) {
    case 'list':
    case 'findOne':
      return undefined
    case 'create':
      return 'Taken'
    case 'replace':
    case 'patch':
      return 'Conflict'
    case 'delete':
      return 'StillNeeded'
  }
}
