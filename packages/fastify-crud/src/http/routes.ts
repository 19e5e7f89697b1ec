import { CrudError } from '@fastify-crud/core'
import {
  type CheckedAction,
  isDescribed,
  isPredefined,
  type Mount,
  mountsOf,
  type Operation,
  type PathTable,
  reads,
  serves,
} from '@fastify-crud/core/internal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RouteConfig, RoutesOfDocument } from '../document/documentation.ts'
import type { CrudOptions } from '../options.ts'
import type { Service } from '../service.ts'
import { addPath, type PathRoute } from './add-path.ts'
import { actionEndpoint, type Endpoint, endpointsOf, OTHER_WAY_TO, type Way } from './endpoints.ts'
import { actionMaker, isAnotherWay } from './operations/act.ts'
import type { BatchRoute } from './operations/batch.ts'
import { type OperationOf, predefinedHandler, type RouteOperation } from './operations/operation.ts'
import type { Handlers, OtherWay, ReplacedEndpoint } from './replaced-endpoint.ts'
import { replacedHandler } from './replaced-handler.ts'
import type { CrudRouteConfig, RouteHandler, RouteSettings } from './route-settings.ts'

/** Where routes are entered. */
export interface RouteTables {
  /** What all of them have. */
  readonly config: RouteConfig
  readonly batch: PathTable<BatchRoute> | undefined
  readonly documented: RoutesOfDocument
}

/** Registers the routes of a model, one for each method of a path. */
export function addRoutes(
  fastify: FastifyInstance,
  service: Service,
  { handlers = {}, routes = {} }: Pick<CrudOptions, 'handlers' | 'routes'>,
  { config, batch, documented }: RouteTables,
): void {
  const { stores, databases } = service
  const bodyLimit = service.limits.maxBody
  for (const mount of mountsOf(stores.model)) {
    const { resource } = mount.path
    const settings = ofResource(routes, resource.key)
    for (const endpoints of endpointsOf(mount)) {
      const [{ suffix }] = endpoints as readonly [Endpoint]
      const url = `${mount.url}${suffix}`
      const byMethod = new Map<Endpoint['method'], PathRoute>()
      for (const endpoint of endpoints) {
        const { method, operation } = endpoint
        if (!serves(resource, operation)) continue
        const composed = handlerOf(service, mount, endpoint, handlers, url)
        if (composed === undefined) continue
        const { handler, operationOf } = composed
        const isReplaced = ofResource(handlers, resource.key)?.[operation] !== undefined
        const isOpen = isDescribed(stores.model, resource, operation, suffix === '/:id')
        if (isReplaced || isOpen) documented.add(method, url)
        const ofOperation = settings?.[operation]
        batch?.add(url, method, {
          ...{ mount, link: endpoint.linked, pattern: url, operation },
          hasRecords: BODIES.has(operation) && endpoint.linked === undefined,
          isRead: reads(operation),
          operationOf: hasHooks(ofOperation) ? undefined : operationOf,
        })
        const crud: CrudRouteConfig = { resource: resource.key, operation }
        byMethod.set(method, {
          bodyLimit,
          handler: databases?.during(handler) ?? handler,
          config: { ...config, crud },
          settings: ofOperation,
        })
      }
      // Where the list is replaced, there are no groups, and the path is no record's either. The same holds for links.
      if (byMethod.size === 0 && (suffix === '' || suffix === '/:id')) continue
      addPath(fastify, url, byMethod, config)
    }
    for (const [name, action] of stores.actions.get(resource.key) ?? []) {
      const { method, suffix } = actionEndpoint(action)
      const url = `${mount.url}${suffix}`
      const composed = actionHandler(service, mount, action, ofResource(handlers, resource.key), url)
      const crud: CrudRouteConfig = { resource: resource.key, operation: name }
      const ofAction = ofResource<RouteSettings | undefined>(settings ?? {}, name)
      const route = composed && {
        bodyLimit,
        handler: databases?.during(composed.handler) ?? composed.handler,
        config: { ...config, crud },
        settings: ofAction,
      }
      if (composed !== undefined) {
        documented.add(method, url)
        batch?.add(url, method, {
          ...{ mount, pattern: url, operation: undefined, hasRecords: false, isRead: action.isRead },
          operationOf: hasHooks(ofAction) ? undefined : composed.operationOf,
        })
      }
      addPath(fastify, url, new Map(route && [[method, route]]), config)
    }
  }
}

const BODIES: ReadonlySet<Operation> = new Set(['create', 'replace', 'patch'])

/** Whether the application has hooks that may refuse requests for an operation. */
function hasHooks(settings: RouteSettings | undefined): boolean {
  return (['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const).some((name) => settings?.[name])
}

/** A handler, and the operations of its requests; undefined: the application has a part in them. */
interface ComposedHandler {
  readonly handler: RouteHandler
  readonly operationOf: OperationOf | undefined
}

/** Undefined where there is none: the action would go past a handler of the application's. */
function actionHandler(
  service: Service,
  mount: Mount,
  action: CheckedAction,
  handlers: Readonly<Record<string, ReplacedEndpoint | undefined>> = {},
  url: string,
): ComposedHandler | undefined {
  const { resource, isTopLevel } = mount.path
  if (isAnotherWay(action, handlers)) return undefined
  const replaced = ofResource(handlers, action.name)
  if (isTopLevel && replaced !== undefined && !replaced.also?.includes('topLevel')) return undefined
  const declaresOwner = checkOwnerParam(replaced, mount, `handlers.${resource.key}.${action.name}`, url)
  const terms = { authorizesByOwner: declaresOwner || resource.authorizedBy === 'owner' }
  const operation = actionMaker(action)(service, mount, terms)
  const operationOf = () => operation
  if (replaced === undefined) return { handler: predefinedHandler(operationOf), operationOf }
  return { handler: replacedHandler(mount, action.name, operationOf, replaced), operationOf: undefined }
}

/** Whether the access of a replaced endpoint names an owner. Throws a TypeError if the path has none of that name. */
function checkOwnerParam(replaced: ReplacedEndpoint | undefined, mount: Mount, name: string, url: string): boolean {
  const param = replaced?.access.id
  if (param === undefined || param === 'id') return false
  if (!mount.path.isTopLevel && !mount.owners.some((owner) => owner.param === param)) {
    throw new TypeError(`${name}.access.id: the path ${url} has no parameter '${param}'`)
  }
  return true
}

/** What an option says of a resource, or of one of its operations. */
function ofResource<T>(option: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(option, key) ? option[key] : undefined
}

/** Undefined where there is none. */
function handlerOf(
  service: Service,
  mount: Mount,
  endpoint: Endpoint,
  handlers: Handlers,
  url: string,
): ComposedHandler | undefined {
  const { resource } = mount.path
  const { key } = resource
  const { linked, operation, suffix, otherWayTo = OTHER_WAY_TO[operation] } = endpoint
  const replaced = ofResource(handlers, key)?.[operation]
  const isPassed = otherWayTo !== undefined && (otherWayTo === operation || replaced === undefined)
  if (isPassed && ofResource(handlers, key)?.[otherWayTo] !== undefined) return undefined
  const declaresOwner = checkOwnerParam(replaced, mount, `handlers.${key}.${operation}`, url)
  if (linked !== undefined) {
    // A page of related records is another way to the record, and to the list of these.
    const isListed = operation === 'findOne' && ofResource(handlers, linked.link.target.key)?.list !== undefined
    if (isListed || (replaced !== undefined && !replaced.also?.includes('link'))) return undefined
  } else if (replaced === undefined) {
    if (!isPredefined(resource, operation, suffix === '/:id')) return undefined
  } else {
    if (isPassedBy(replaced, mount, endpoint)) return undefined
  }
  const terms = { authorizesByOwner: declaresOwner || resource.authorizedBy === 'owner' }
  const others = { itself: replaced, create: ofResource(handlers, key)?.create }
  const composed = endpoint.ways.map((way): ComposedWay => {
    const { takes = takesAll, name, make } = way
    return { takes, refused: isRefused(way, others) ? name : undefined, operation: make(service, mount, terms) }
  })
  const [{ operation: only, refused }] = composed as [ComposedWay]
  const wayOf = (request: FastifyRequest) => composed.find(({ takes }) => takes(request)) as ComposedWay
  const isOne = composed.length === 1 && refused === undefined
  const operationOf: OperationOf = isOne ? () => only : (request) => wayOf(request).operation
  const handler =
    replaced === undefined ? predefinedHandler(operationOf) : replacedHandler(mount, operation, operationOf, replaced)
  const inBatch = replaced === undefined ? operationOf : undefined
  if (composed.every((way) => way.refused === undefined)) return { handler, operationOf: inBatch }
  return {
    async handler(request, reply) {
      const way = wayOf(request)
      if (way.refused === undefined) return await handler(request, reply)
      reply.header('allow', '')
      throw refusal(way.refused)
    },
    operationOf:
      inBatch &&
      ((request) => {
        const way = wayOf(request)
        if (way.refused !== undefined) throw refusal(way.refused)
        return way.operation
      }),
  }
}

/** The operation of a way, which requests it takes, and by which name they are refused. */
interface ComposedWay {
  readonly takes: (request: FastifyRequest) => boolean
  readonly refused: OtherWay | undefined
  readonly operation: RouteOperation
}

const takesAll = (): boolean => true

/** Whether an application's handler gets no request at all of an endpoint: all of these are ways to the operation that
 * it does not name. */
function isPassedBy({ also = [] }: ReplacedEndpoint, mount: Mount, { ways }: Endpoint): boolean {
  if (mount.path.isTopLevel && !also.includes('topLevel')) return true
  return ways.every(({ name }) => name !== undefined && !also.includes(name))
}

/** What an application has put in place of an operation, and of others that its requests may come to. */
interface ReplacedOperations {
  readonly itself: ReplacedEndpoint | undefined
  readonly create: ReplacedEndpoint | undefined
}

/** Whether requests in that way are refused: they would go past an application's handler that does not name it. */
function isRefused({ name }: Way, { itself, create }: ReplacedOperations): boolean {
  if (name === undefined) return false
  const asked = name === 'by' ? [itself, create] : [itself]
  return asked.some((one) => one !== undefined && !(one.also ?? []).includes(name))
}

function refusal(way: OtherWay): CrudError {
  const detail = `${WORDS[way]} are not allowed here: the application has a handler of its own`
  return new CrudError({ code: 'CRUD_ERR_METHOD', detail, errors: [] })
}

const WORDS: Readonly<Record<OtherWay, string>> = {
  array: 'arrays',
  filter: 'writes by a filter',
  by: 'writes by unique values',
  link: 'links',
  topLevel: 'records of all owners',
  at: 'records as they were',
}
