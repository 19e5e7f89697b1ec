import { type JsonSchema, keepsHistory, type Mount } from '@fastify-crud/core/internal'
import { safeName } from '../components/component-id.ts'
import type { OpenApiOperation, Parameter, PathItem, Ref } from '../components/openapi-document.ts'
import { EFFECTS_SCHEMA } from '../schemas/effects-schema.ts'
import type { HistoryPathContext } from './history-paths.ts'

const AFTER: readonly Parameter[] = [
  {
    name: 'after',
    in: 'query',
    description: 'The id of the last event that the client knows. Default: it is told of what happens from now on.',
    schema: { type: 'integer', minimum: 0 },
  },
  {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The same, as clients of Server-Sent Events send it when they connect again. It counts more.',
    schema: { type: 'string', pattern: '^\\d*$' },
  },
]

const DESCRIPTION =
  'Server-Sent Events: one for each write that is committed, with what it did as its data, as far as the caller may see it, and its position as its id. The stream ends only with its client, its service, or the right to see it.'

/** Where the changes of a mount's collection and of its records are told as they happen. `ids`: the parameters of their
 * paths. */
export function changePathsOf(
  mount: Mount,
  collection: string,
  ids: (hasId: boolean) => readonly Ref[],
  context: HistoryPathContext,
): [path: string, item: PathItem][] {
  const { resource } = mount.path
  if (!keepsHistory(resource)) return []
  const of = (suffix: string, hasId: boolean): [string, PathItem] => {
    const kind = hasId ? 'findOne' : 'list'
    const names = [mount.owners[0]?.owns.source.key ?? resource.key, ...mount.owners.map(({ owns }) => owns.name)]
    const id = [...names, hasId ? 'changes' : 'allChanges']
    const what = hasId ? `one ${resource.key} record` : `the ${resource.key} records`
    const statuses = (method: 'get' | 'head') => {
      const success = [200, streamOf(context)] as const
      return withGone(context, context.responses.of(kind, method, mount, undefined, success))
    }
    const described = (method: 'get' | 'head') =>
      operationOf(id, what, [resource.key], method, statuses(method), context)
    const parameters = ids(hasId)
    const item = { get: described('get'), ...(context.head && { head: described('head') }) }
    return [`${collection}${suffix}`, parameters.length > 0 ? { parameters: [...parameters], ...item } : item]
  }
  const paths = [of('/$changes', false), of('/{id}/$changes', true)]
  return paths.filter(([path]) => context.hasRoute?.(path, 'get') !== false)
}

/** Where all changes are told. `mount`: any of the service. */
export function allChangesPath(mount: Mount, context: HistoryPathContext): PathItem {
  const described = (method: 'get' | 'head') => {
    const success = [200, streamOf(context)] as const
    const statuses = withGone(context, context.responses.of('list', method, mount, undefined, success))
    return operationOf(['changes'], 'all records', [], method, statuses, context)
  }
  return { get: described('get'), ...(context.head && { head: described('head') }) }
}

function operationOf(
  id: readonly string[],
  what: string,
  tags: readonly string[],
  method: 'get' | 'head',
  responses: Record<string, Ref>,
  { idPrefix }: HistoryPathContext,
): OpenApiOperation {
  const isHead = method === 'head'
  return {
    operationId: idPrefix + id.map(safeName).join('.') + (isHead ? 'Head' : ''),
    summary: `Follow the changes of ${what}${isHead ? ', headers only' : ''}`,
    ...(!isHead && { description: DESCRIPTION, parameters: [...AFTER] }),
    tags: [...tags],
    responses,
  }
}

function withGone({ responses }: HistoryPathContext, statuses: Record<string, Ref>): Record<string, Ref> {
  if (statuses[200] === undefined) return statuses
  return { ...statuses, 410: responses.gone() }
}

/** What the data of an event is. */
function streamOf({ schemas, responses }: HistoryPathContext): Ref {
  const change = schemas.ref('change', () => ({
    description: 'The data of an event.',
    ...EFFECTS_SCHEMA,
    properties: {
      ...(EFFECTS_SCHEMA.properties as Readonly<Record<string, JsonSchema>>),
      position: { type: 'integer', description: 'That of the write: the id of the event.' },
      by: { description: 'The caller.' },
    },
  }))
  return responses.responses.ref('Changes', () => ({
    description: 'Events, as they happen. The data of each is a `change` in JSON.',
    content: { 'text/event-stream': { schema: { type: 'string' }, 'x-event': { ...change } } },
  }))
}
