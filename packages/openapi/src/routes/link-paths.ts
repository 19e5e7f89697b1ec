import type { Link, Mount, MountLink, Operation, Resource } from '@fastify-crud/core/internal'
import { safeName } from '../components/component-id.ts'
import type { Method, OpenApiOperation, PathItem, Ref } from '../components/openapi-document.ts'
import { linkBodySchema } from '../schemas/body-schema.ts'
import { type LinkRouteKind, operationOf } from './describe-route.ts'
import type { OperationResponses } from './operation-responses.ts'
import { linkParameter, pathHeaders, requiredHeaders, writtenSegment } from './path-parameters.ts'
import { listParameters, type ParameterContext } from './query-parameters.ts'

/** What the paths of links are made of. */
export interface LinkPathContext extends ParameterContext {
  readonly idPrefix: string
  readonly describes: (resource: string, operation: Operation | (string & {})) => boolean
  readonly responses: OperationResponses
  /** Whether HEAD is described. */
  readonly head: boolean
  /** Absent: there are all routes that the model has. */
  readonly hasRoute?: ((path: string, method: Exclude<Method, 'head'>) => boolean) | undefined
}

/**
 * The paths of the links of a mount's records, as far as they have operations: the pages of related records, and the
 * single links. `record`: the path of a record, with the `ids` in it, which are made only for what refers to them.
 */
export function linkPathsOf(
  mount: Mount,
  record: string,
  ids: () => readonly Ref[],
  context: LinkPathContext,
): [path: string, item: PathItem | undefined][] {
  return mount.links.flatMap((mounted): [string, PathItem | undefined][] => {
    const { link, param } = mounted
    const path = `${record}/${writtenSegment(link.name)}`
    const one = `${path}/{${param}}`
    const of = (kind: LinkRouteKind, method: Method): Partial<Record<Method, OpenApiOperation>> =>
      isDescribed(kind, link, context) ? { [method]: operation(kind, method, mount, mounted, context) } : {}
    const has = (at: string, method: Exclude<Method, 'head'>) => context.hasRoute?.(at, method) ?? true
    const page = has(path, 'get') ? { ...of('linked', 'get'), ...(context.head && of('linked', 'head')) } : {}
    const single = {
      ...(has(one, 'put') && of('link', 'put')),
      ...(has(one, 'delete') && of('unlink', 'delete')),
    }
    const ofSingle = () => [
      ...ids(),
      linkParameter(mounted, context.parameters),
      ...pathHeaders(false, context.parameters),
    ]
    return [
      [path, isEmpty(page) ? undefined : { parameters: ids(), ...page }],
      [one, isEmpty(single) ? undefined : { parameters: ofSingle(), ...single }],
    ]
  })
}

/** The page of related records is another way to the list of these. */
function isDescribed(kind: LinkRouteKind, { source, target }: Link, { describes }: LinkPathContext): boolean {
  return describes(source.key, operationOf(kind)) && (kind !== 'linked' || describes(target.key, 'list'))
}

function isEmpty(item: object): boolean {
  return Object.keys(item).length === 0
}

function operation(
  kind: LinkRouteKind,
  method: Method,
  mount: Mount,
  { link }: MountLink,
  context: LinkPathContext,
): OpenApiOperation {
  const ofQuery = method === 'get' ? listParameters(link.target, context) : []
  const parameters = [...ofQuery, ...requiredHeaders(kind, mount, context.parameters)]
  const body = kind === 'link' ? linkBodySchema(link) : undefined
  const description = DESCRIPTIONS[kind](link.needs)
  return {
    operationId: operationId(kind, method, mount, link.name, context.idPrefix),
    summary: summaryOf(kind, method, mount.path.resource, link.name),
    ...(method !== 'head' && description !== '' && { description }),
    tags: [mount.path.resource.key],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: false, content: { 'application/json': { schema: body } } } }),
    responses: context.responses.of(kind, method, mount, link),
  }
}

/** `book.tags.list`, `book.tags.add` and `book.tags.remove`, as the store's methods are called. No owned records have
 * the name of a link. */
function operationId(kind: LinkRouteKind, method: Method, mount: Mount, relation: string, idPrefix: string): string {
  const root = mount.owners[0]?.owns.source ?? mount.path.resource
  const owned = mount.owners.map(({ owns }) => owns.name)
  const end = method === 'head' ? 'listHead' : METHODS[kind]
  return idPrefix + [root.key, ...owned, relation, end].map(safeName).join('.')
}

const METHODS: Readonly<Record<LinkRouteKind, string>> = { linked: 'list', link: 'add', unlink: 'remove' }

function summaryOf(kind: LinkRouteKind, method: Method, { key }: Resource, relation: string): string {
  const headersOnly = method === 'head' ? ', headers only' : ''
  if (kind === 'linked') return `List the ${relation} of one ${key} record${headersOnly}`
  return kind === 'link'
    ? `Add one of the ${relation} of one ${key} record`
    : `Remove one of the ${relation} of one ${key} record`
}

const DESCRIPTIONS: Readonly<Record<LinkRouteKind, (needs: boolean) => string>> = {
  linked: () => '',
  link: () => 'Links the two records, if they are not linked already.',
  unlink: (needs) => `The related record stays.${needs ? ' Refused with 409 if it is the last one.' : ''}`,
}
