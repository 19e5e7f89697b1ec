import { type JsonSchema, keepsHistory, type Mount, type Resource } from '@fastify-crud/core/internal'
import { safeName } from '../components/component-id.ts'
import type { Components, Method, OpenApiOperation, Parameter, PathItem, Ref } from '../components/openapi-document.ts'
import { EFFECTS_SCHEMA } from '../schemas/effects-schema.ts'
import type { LinkPathContext } from './link-paths.ts'
import { pathHeaders } from './path-parameters.ts'

/** What the paths of histories are made of. */
export interface HistoryPathContext extends LinkPathContext {
  readonly schemas: Components<JsonSchema>
}

const WRITE = {
  name: 'write',
  in: 'path',
  required: true,
  description: 'The id of a write, as the history has it.',
  schema: { type: 'string', format: 'uuid' },
}

const ofQuery = (name: string, description: string, schema: JsonSchema): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
})

const MOMENT = { type: 'string', format: 'date-time' }

const QUERY: readonly Parameter[] = [
  ofQuery('limit', 'The most writes of the page.', { type: 'integer', minimum: 1, maximum: 100 }),
  ofQuery('after', 'The `next` of the page before.', { type: 'string' }),
  ofQuery('filter[operation]', 'Names of operations, with commas between them.', { type: 'string' }),
  ofQuery('filter[by]', 'The caller, as the history names it, in JSON.', { type: 'string' }),
  ofQuery('filter[at][gte]', 'Writes at this moment or later.', MOMENT),
  ofQuery('filter[at][lt]', 'Writes before this moment.', MOMENT),
]

/** The paths of the history of a mount's records. `ids`: the parameters of a record's path. */
export function historyPathsOf(
  mount: Mount,
  record: string,
  ids: () => readonly Ref[],
  context: HistoryPathContext,
): [path: string, item: PathItem][] {
  const { resource } = mount.path
  if (!keepsHistory(resource) || !context.describes(resource.key, 'history')) return []
  const read = (operation: OpenApiOperation, headers: OpenApiOperation) => ({
    get: operation,
    ...(context.head && { head: headers }),
  })
  const ofOne = (path: string, parameters: readonly Ref[], operations: Partial<PathItem>): [string, PathItem] => [
    path,
    { parameters: [...ids(), ...parameters], ...operations },
  ]
  const write = () => context.parameters.ref('write', () => ({ ...WRITE }))
  const of = (kind: keyof typeof TITLES, method: Method) => operationOf(mount, kind, method, context)
  const all = `${record}/$history`
  const one = `${all}/{write}`
  const paths: [string, PathItem][] = []
  if (context.hasRoute?.(all, 'get') !== false) {
    paths.push(ofOne(all, [], read(of('history', 'get'), of('history', 'head'))))
    paths.push(ofOne(one, [write()], read(of('historyEntry', 'get'), of('historyEntry', 'head'))))
  }
  if (context.hasRoute?.(`${one}/$undo`, 'post') === false || !context.describes(resource.key, 'undo')) return paths
  const headers = pathHeaders(true, context.parameters)
  return [...paths, ofOne(`${one}/$undo`, [write(), ...headers], { post: of('undo', 'post') })]
}

const AT =
  'A moment: the answer is the record as it was then, with what it owned, without an ETag and without computed fields. What it refers to is there as it is now. 404 if the record was not there, 400 before its history begins. Not with other parameters.'

/** The query of a single record of which a history is kept. As it was, it lacks what is computed: it is a part. */
export function momentParameters(
  resource: Resource,
  { describes, parameters, partial }: Pick<LinkPathContext, 'describes' | 'parameters' | 'partial'>,
): readonly Parameter[] {
  const isServed = partial && keepsHistory(resource) && describes(resource.key, 'history')
  return isServed ? [parameters.ref('at', () => ({ ...ofQuery('at', AT, MOMENT) }))] : []
}

const TITLES = {
  history: (record: string) => `List the writes that have touched one ${record} record`,
  historyEntry: (record: string) => `Read one write that has touched one ${record} record`,
  undo: (record: string) => `Undo a write that has touched one ${record} record`,
}

const UNDO =
  'What it deleted comes back with its id, what it added goes, and what it changed is set back. Refused with 409 where later writes have changed that: `changes` lists it. If the record itself goes, the answer is 204.'

function operationOf(
  mount: Mount,
  kind: keyof typeof TITLES,
  method: Method,
  context: HistoryPathContext,
): OpenApiOperation {
  const { key } = mount.path.resource
  const id = [mount.owners[0]?.owns.source.key ?? key, ...mount.owners.map(({ owns }) => owns.name), kind]
  const success = kind === 'undo' ? undefined : ([200, answerOf(kind, context)] as const)
  return {
    operationId: context.idPrefix + id.map(safeName).join('.') + (method === 'head' ? 'Head' : ''),
    summary: `${TITLES[kind](key)}${method === 'head' ? ', headers only' : ''}`,
    ...(kind === 'undo' && { description: UNDO }),
    tags: [key],
    ...(kind === 'history' && method === 'get' && { parameters: [...QUERY] }),
    responses: context.responses.of(kind === 'undo' ? 'patch' : 'findOne', method, mount, undefined, success),
  }
}

/** The effects of a write, and who has done it. */
function answerOf(kind: 'history' | 'historyEntry', { schemas, responses }: HistoryPathContext): Ref {
  const entry = () => ({
    allOf: [
      { ...schemas.ref('effects', () => EFFECTS_SCHEMA) },
      { type: 'object', properties: { by: { description: 'The caller.' } } },
    ],
  })
  const one = schemas.ref('historyEntry', entry)
  if (kind === 'historyEntry') {
    return responses.responses.ref('HistoryEntry', () => ({ description: 'A write.', ...json({ ...one }) }))
  }
  const page = {
    type: 'object',
    properties: { rows: { type: 'array', items: { ...one } }, next: { type: 'string' } },
    required: ['rows'],
  }
  return responses.responses.ref('History', () => ({ description: 'Writes, the newest first.', ...json(page) }))
}

function json(schema: JsonSchema) {
  return { content: { 'application/json': { schema } } }
}
