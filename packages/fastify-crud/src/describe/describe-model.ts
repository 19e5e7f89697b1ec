import type { Model } from '@fastify-crud/core'
import {
  type CheckedAction,
  type CheckedActions,
  isDescribed,
  keepsHistory,
  mountsOf,
  type Operation,
  type Resource,
  serves,
} from '@fastify-crud/core/internal'
import { movedSchema, pathTemplate } from '@fastify-crud/openapi'
import { ACTION_OF, ALSO_ASKED } from '../access/authorize.ts'
import { OTHER_WAY_TO } from '../http/endpoints.ts'
import { isAnotherWay } from '../http/operations/act.ts'
import type { Handlers, ReplacedEndpoint } from '../http/replaced-endpoint.ts'
import type { Limits } from '../options.ts'
import { describeResource } from './describe-resource.ts'
import type { ActionDocument, DocumentLimits, ModelDocument, ResourceDocument } from './model-document.ts'
import type { Sight } from './sight.ts'

/** What a description is made of besides what the caller may see. */
export interface DescribedService {
  readonly model: Model
  readonly actions: CheckedActions
  readonly limits: Limits
  readonly handlers: Handlers
  /** The service has `/$batch`. */
  readonly hasBatches: boolean
  /** The service tells of changes as they happen. */
  readonly hasChanges: boolean
  writesMore(resource: Resource): boolean
}

/** What describes a model, but for the hash of it and for what the database knows. */
export type Description = Omit<ModelDocument, 'hash' | 'idempotency'>

/** Describes the model of a service as far as a caller may know it. */
export function describeModel(service: DescribedService, sight: Sight): Description {
  const { model, limits } = service
  const known = [...model.resources.values()].filter(sight.knows)
  const paths = pathsOf(model, sight)
  const tenant = known.find(({ key }) => key === model.tenant?.resource)?.key
  return {
    model: 1,
    ...(tenant !== undefined && { tenant }),
    limits: limitsIn(limits, service.hasBatches),
    resources: Object.fromEntries(
      known.map((resource): [string, ResourceDocument] => {
        const { description, ...described } = describeResource(resource, sight)
        const actions = actionsOf(resource, service, sight)
        return [
          resource.key,
          {
            ...(description !== undefined && { description }),
            paths: paths.get(resource) ?? [],
            ...described,
            ...(service.writesMore(resource) && { ruled: true }),
            operations: operationsOf(resource, service, sight),
            ...(actions && { actions }),
          },
        ]
      }),
    ),
  }
}

function limitsIn({ action: _, batch, maxDatabases, ...limits }: Limits, hasBatches: boolean): DocumentLimits {
  return hasBatches ? { ...limits, batch } : limits
}

/** The paths to each resource, without those that lead through one that the caller does not know. */
function pathsOf(model: Model, { knows }: Sight): ReadonlyMap<Resource, readonly string[]> {
  const paths = new Map<Resource, string[]>()
  for (const { path, url, owners } of mountsOf(model)) {
    if (!owners.every(({ owns }) => knows(owns.source))) continue
    paths.set(path.resource, [...(paths.get(path.resource) ?? []), pathTemplate('', url)])
  }
  // The path that names the fewest owners comes first.
  for (const all of paths.values()) all.sort((one, other) => segmentsOf(one) - segmentsOf(other))
  return paths
}

function segmentsOf(path: string): number {
  return path.split('/').length
}

const OPERATIONS = Object.keys(ACTION_OF) as readonly Operation[]

function operationsOf(
  resource: Resource,
  { model, handlers, hasChanges }: DescribedService,
  { offers }: Sight,
): ResourceDocument['operations'] {
  const ofResource = Object.hasOwn(handlers, resource.key) ? handlers[resource.key] : undefined
  const entries = OPERATIONS.filter((operation) => serves(resource, operation)).flatMap((operation) => {
    const replaced = ofResource?.[operation]
    if (replaced !== undefined) return [[operation, offers(resource, [replaced.access.action])]]
    const other = OTHER_WAY_TO[operation]
    if (other !== undefined && ofResource?.[other] !== undefined) return []
    if (!isDescribed(model, resource, operation, false)) return []
    const also = ALSO_ASKED[operation]
    return [[operation, offers(resource, [ACTION_OF[operation], ...(also === undefined ? [] : [also])])]]
  })
  const isReplaced = ofResource?.list !== undefined && ofResource.findOne !== undefined
  if (!hasChanges || !keepsHistory(resource) || isReplaced) return Object.fromEntries(entries)
  return Object.fromEntries([...entries, ['changes', offers(resource, ['View'])]])
}

function actionsOf(
  { key }: Resource,
  { actions, handlers }: DescribedService,
  sight: Sight,
): Readonly<Record<string, ActionDocument>> | undefined {
  const replaced = Object.hasOwn(handlers, key) ? handlers[key] : undefined
  const ofResource = [...(actions.get(key)?.values() ?? [])].filter((action) => !isAnotherWay(action, replaced))
  if (ofResource.length === 0) return undefined
  return Object.fromEntries(
    ofResource.map((action) => [action.name, describeAction(action, sight, endpointIn(replaced, action.name))]),
  )
}

function endpointIn(replaced: object | undefined, name: string): ReplacedEndpoint | undefined {
  return replaced !== undefined && Object.hasOwn(replaced, name)
    ? (replaced as Readonly<Record<string, ReplacedEndpoint>>)[name]
    : undefined
}

function describeAction(action: CheckedAction, sight: Sight, replaced: ReplacedEndpoint | undefined): ActionDocument {
  const { resource, isOfRecord, isRead, body, query, answer, changes } = action
  const asks = replaced?.access.action ?? action.asks
  const known = changes?.filter((one) => sight.knows(one))
  return {
    on: isOfRecord ? 'record' : 'list',
    method: isRead ? 'GET' : 'POST',
    offered: sight.offers(resource, [asks]),
    ...(body && { body: { schema: movedSchema(body.schema, '#'), ...(!body.isOptional && { required: true }) } }),
    ...(query && { query: movedSchema(query.schema, '#') }),
    ...(answer && { answer: movedSchema(answer.schema, '#') }),
    ...(known && { changes: known.map((one) => one.key) }),
  }
}
