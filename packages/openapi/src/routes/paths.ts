import type { Model } from '@fastify-crud/core'
import {
  isDescribed,
  isGivenByClient,
  type JsonSchema,
  type Mount,
  type Resource,
  serves,
} from '@fastify-crud/core/internal'
import { type ComponentKind, refsAt, safeName } from '../components/component-id.ts'
import type { Components, Method, OpenApiOperation, Parameter, PathItem, Ref } from '../components/openapi-document.ts'
import type { DescribedBulk } from '../openapi-options.ts'
import { type ActionPathContext, actionPathsOf } from './action-paths.ts'
import { changePathsOf } from './change-paths.ts'
import {
  COLLECTION_ROUTES,
  DELETED_RECORD_ROUTES,
  DELETED_ROUTES,
  descriptionOf,
  GROUP_ROUTES,
  isOfMany,
  LONG_LIST_ROUTES,
  operationId,
  operationOf,
  RECORD_ROUTES,
  RESTORE_ROUTES,
  type RouteKind,
  summaryOfRoute,
} from './describe-route.ts'
import { historyPathsOf, momentParameters } from './history-paths.ts'
import { linkPathsOf } from './link-paths.ts'
import { pathHeaders, pathParameters, requiredHeaders, writtenSegment } from './path-parameters.ts'
import {
  contentParameters,
  groupParameters,
  listParameters,
  longGroupBody,
  longListBody,
  matchingParameters,
  UNIQUE_KEY,
} from './query-parameters.ts'

/** What the paths of a document have in common. */
export interface PathContext extends ActionPathContext {
  readonly model: Model
  readonly prefix: string
  readonly bulk: DescribedBulk
  /** Whether changes are told as they happen. */
  readonly hasChanges: boolean
  /** Whether the addresses of links are described. */
  readonly links: boolean
}

/** The paths of a mount's collection, of its groups, of its records, of actions and of links, as far as they have
 * operations. */
export function pathsOf(mount: Mount, context: PathContext): [path: string, item: PathItem][] {
  const collection = pathTemplate(context.prefix, mount.url)
  const at = (suffix: string, routes: Routes): [string, PathItem | undefined] => {
    const path = `${collection}${suffix}`
    return [path, pathItem(path, suffix.includes('{id}'), mount, routes, context)]
  }
  const paths: [string, PathItem | undefined][] = [
    at('', COLLECTION_ROUTES),
    at('/$list', LONG_LIST_ROUTES),
    ...(mount.path.resource.hasGroups ? [at('/$group', GROUP_ROUTES)] : []),
    at('/{id}', RECORD_ROUTES),
    at('/$deleted', DELETED_ROUTES),
    at('/$deleted/{id}', DELETED_RECORD_ROUTES),
    at('/{id}/$restore', RESTORE_ROUTES),
    ...historyPathsOf(mount, `${collection}/{id}`, () => idsIn(mount, true, context), context),
    ...(context.hasChanges ? changePathsOf(mount, collection, (hasId) => idsIn(mount, hasId, context), context) : []),
    ...actionPathsOf(mount, collection, (hasId) => idsIn(mount, hasId, context), context),
    ...(context.links ? linkPathsOf(mount, `${collection}/{id}`, () => idsIn(mount, true, context), context) : []),
  ]
  return paths.filter((path): path is [string, PathItem] => path[1] !== undefined)
}

/** A route's path as a document writes it: `/api/book/{book_id}/chapter`. */
export function pathTemplate(prefix: string, url: string): string {
  const segments = `${prefix}/${url}`.split('/').filter((segment) => segment !== '')
  const written = segments.map((segment) => {
    const param = paramOf(segment)
    return param === undefined ? writtenSegment(segment) : `{${param}}`
  })
  return `/${written.join('/')}`
}

/** The parameters of a prefix such as `/:tenant`, which are the application's own. */
function prefixParameters(prefix: string, parameters: Components<JsonSchema>): Ref[] {
  const names = prefix.split('/').flatMap((segment) => paramOf(segment) ?? [])
  return names.map((name) =>
    parameters.ref(`prefix.${safeName(name)}`, () => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
  )
}

/** The name of a parameter in a segment as Fastify writes it, which may have a pattern behind it:
 * `:tenant(^[a-z]+$)`. */
function paramOf(segment: string): string | undefined {
  return /^:([^(]+)/.exec(segment)?.[1]
}

type Routes = Readonly<Partial<Record<Method, RouteKind>>>

function pathItem(
  path: string,
  hasId: boolean,
  mount: Mount,
  routes: Routes,
  context: PathContext,
): PathItem | undefined {
  const operations: [Method, OpenApiOperation][] = []
  for (const [method, kind] of Object.entries(routes) as [Exclude<Method, 'head'>, RouteKind][]) {
    const { resource } = mount.path
    const what = operationOf(kind)
    if (!serves(resource, what)) continue
    const isThere = context.hasRoute?.(path, method) ?? isDescribed(context.model, resource, what, hasId)
    if (!isThere || !context.describes(resource.key, what)) continue
    if (isOfMany(kind) && context.bulk === 'none') continue
    if ((kind === 'longList' || kind === 'longGroup') && context.filters === 'few') continue
    operations.push([method, operation(kind, method, mount, context)])
    if (method === 'get' && context.head) operations.push(['head', operation(kind, 'head', mount, context)])
  }
  if (operations.length === 0) return undefined
  const parameters = [...idsIn(mount, hasId, context), ...pathHeaders(hasId, context.parameters)]
  return { parameters, ...Object.fromEntries(operations) }
}

/** What a path has of parameters: those of the prefix, and the ids. */
function idsIn(mount: Mount, hasId: boolean, { prefix, parameters }: PathContext): readonly Ref[] {
  return [...prefixParameters(prefix, parameters), ...pathParameters(mount, hasId, parameters)]
}

function operation(kind: RouteKind, method: Method, mount: Mount, context: PathContext): OpenApiOperation {
  const body = bodySchemaOf(kind, mount, context)
  // HEAD takes what GET takes. To list it twice would be a tenth of the document.
  const ofQuery = method === 'head' ? [] : queryOf(kind, mount.path.resource, context)
  const parameters = [...ofQuery, ...requiredHeaders(kind, mount, context.parameters)]
  const description = descriptionOf(kind, method, mount)
  return {
    operationId: operationId(kind, method, mount, context.idPrefix),
    summary: summaryOfRoute(kind, method, mount),
    ...(description !== '' && { description }),
    tags: [mount.path.resource.key],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: body } },
      },
    }),
    responses: context.responses.of(kind, method, mount),
  }
}

function queryOf(kind: RouteKind, resource: Resource, context: PathContext): Parameter[] {
  switch (kind) {
    case 'list':
      return listParameters(resource, context)
    case 'group':
      return groupParameters(resource, context)
    case 'deleted':
      return listParameters(resource, context, true)
    case 'findOne':
      return [...contentParameters(resource, context), ...momentParameters(resource, context)]
    case 'deletedOne':
      return contentParameters(resource, context)
    case 'patchMany':
    case 'deleteMany':
      return matchingParameters(resource, context)
    case 'replaceWithId':
      return context.bulk === 'all' ? [context.parameters.ref('uniqueKey', () => UNIQUE_KEY)] : []
    default:
      return []
  }
}

function bodySchemaOf(kind: RouteKind, { path }: Mount, context: PathContext): JsonSchema | undefined {
  const { resource } = path
  if (kind === 'longList') return longListBody(resource, context)
  if (kind === 'longGroup') return longGroupBody(resource, context)
  const refTo = refsAt(path, context.refTo)
  const body = bodyOf(kind, resource)
  if (body === undefined) return undefined
  const one = refTo(resource, body)
  if (kind === 'patchMany') return { anyOf: [{ type: 'array', items: refTo(resource, 'patchWithId') }, one] }
  const takesArrays = context.bulk === 'all' && (kind === 'create' || kind === 'replaceWithId')
  if (!takesArrays) return one
  // By unique values, a body need not have an id, and what it describes may be new.
  const many = kind === 'create' ? [one] : [one, refTo(resource, 'create')]
  return { anyOf: [...many, { type: 'array', items: many.length === 1 ? one : { anyOf: many } }] }
}

function bodyOf(kind: RouteKind, { id }: Resource): ComponentKind | undefined {
  switch (kind) {
    case 'create':
      return 'create'
    case 'createWithId':
      return isGivenByClient(id) ? 'createAt' : 'create'
    case 'replace':
    case 'replaceWithId':
    case 'patch':
      return kind
    case 'patchMany':
      return 'patch'
    case 'list':
    case 'group':
    case 'findOne':
    case 'delete':
    case 'deleteMany':
    case 'longList':
    case 'longGroup':
    case 'deleted':
    case 'deletedOne':
    case 'restore':
    case 'purge':
      return undefined
  }
}
