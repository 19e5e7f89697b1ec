import type { JsonSchema } from '../../model/descriptors/json-schema.ts'
import { isGivenByClient } from '../../model/ids/id-kind.ts'
import type { Resource } from '../../model/model.ts'
import { isPredefined, type Operation, serves } from '../../model/operations.ts'
import { type ComponentKind, refsAt, safeName } from '../document/component-id.ts'
import type { Components } from '../document/components.ts'
import type { Method, OpenApiOperation, Parameter, PathItem, Ref } from '../document/openapi-document.ts'
import { descriptionOf, summaryOf } from './describe-route.ts'
import type { Mount } from './mount.ts'
import type { OperationResponses } from './operation-responses.ts'
import { pathHeaders, pathParameters, requiredHeaders } from './path-parameters.ts'
import { contentParameters, groupParameters, listParameters, type ParameterContext } from './query-parameters.ts'
import {
  COLLECTION_ROUTES,
  GROUP_ROUTES,
  operationId,
  operationOf,
  RECORD_ROUTES,
  type RouteKind,
} from './route-kind.ts'

/** What the paths of a document have in common. */
export interface PathContext extends ParameterContext {
  readonly prefix: string
  readonly idPrefix: string
  readonly describes: (resource: string, operation: Operation) => boolean
  readonly responses: OperationResponses
  /** Whether HEAD is described. */
  readonly head: boolean
}

/** The paths of a mount's collection, of its groups and of its records, as far as they have operations. */
export function pathsOf(mount: Mount, context: PathContext): [path: string, item: PathItem][] {
  const collection = pathTemplate(context.prefix, mount.url)
  const paths: [string, PathItem | undefined][] = [
    [collection, pathItem(mount, COLLECTION_ROUTES, false, context)],
    [`${collection}/$group`, mount.path.resource.hasGroups ? pathItem(mount, GROUP_ROUTES, false, context) : undefined],
    [`${collection}/{id}`, pathItem(mount, RECORD_ROUTES, true, context)],
  ]
  return paths.filter((path): path is [string, PathItem] => path[1] !== undefined)
}

/** A route's path as a document writes it: `/api/book/{book_id}/chapter`. */
export function pathTemplate(prefix: string, url: string): string {
  const segments = `${prefix}/${url}`.split('/').filter((segment) => segment !== '')
  const written = segments.map((segment) => {
    const param = paramOf(segment)
    // RFC 3986 has `$` in paths as it stands.
    return param === undefined ? encodeURIComponent(segment).replaceAll('%24', '$') : `{${param}}`
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

/** The name of a parameter in a segment as Fastify writes it, which may have a pattern behind it: `:tenant(^[a-z]+$)`. */
function paramOf(segment: string): string | undefined {
  return /^:([^(]+)/.exec(segment)?.[1]
}

function pathItem(
  mount: Mount,
  routes: Readonly<Partial<Record<Method, RouteKind>>>,
  hasId: boolean,
  context: PathContext,
): PathItem | undefined {
  const operations: [Method, OpenApiOperation][] = []
  for (const [method, kind] of Object.entries(routes) as [Method, RouteKind][]) {
    const { resource } = mount.path
    const what = operationOf(kind)
    if (!serves(resource, what) || !isPredefined(resource, what, hasId)) continue
    if (!context.describes(resource.key, what)) continue
    operations.push([method, operation(kind, method, mount, context)])
    if (method === 'get' && context.head) operations.push(['head', operation(kind, 'head', mount, context)])
  }
  if (operations.length === 0) return undefined
  const parameters = [
    ...prefixParameters(context.prefix, context.parameters),
    ...pathParameters(mount, hasId, context.parameters),
    ...pathHeaders(hasId, context.parameters),
  ]
  return { parameters, ...Object.fromEntries(operations) }
}

function operation(kind: RouteKind, method: Method, mount: Mount, context: PathContext): OpenApiOperation {
  const body = bodyOf(kind, mount.path.resource)
  // HEAD takes what GET takes. To list it twice would be a tenth of the document.
  const ofQuery = method === 'get' ? queryOf(kind, mount.path.resource, context) : []
  const parameters = [...ofQuery, ...requiredHeaders(kind, mount, context.parameters)]
  const description = descriptionOf(kind, method, mount)
  return {
    operationId: operationId(kind, method, mount, context.idPrefix),
    summary: summaryOf(kind, method, mount),
    ...(description !== '' && { description }),
    tags: [mount.path.resource.key],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: refsAt(mount.path, context.refTo)(mount.path.resource, body) } },
      },
    }),
    responses: context.responses.of(kind, method, mount),
  }
}

function queryOf(kind: RouteKind, resource: Resource, context: ParameterContext): Parameter[] {
  switch (kind) {
    case 'list':
      return listParameters(resource, context)
    case 'group':
      return groupParameters(resource, context)
    case 'findOne':
      return contentParameters(resource, context)
    default:
      return []
  }
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
    case 'list':
    case 'group':
    case 'findOne':
    case 'delete':
      return undefined
  }
}
