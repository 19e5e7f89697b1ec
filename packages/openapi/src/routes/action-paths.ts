import {
  type CheckedAction,
  type CheckedActions,
  type JsonSchema,
  type Mount,
  withArticle,
} from '@fastify-crud/core/internal'
import { safeName } from '../components/component-id.ts'
import type { Components, Method, OpenApiOperation, Parameter, PathItem, Ref } from '../components/openapi-document.ts'
import { movedSchema } from '../schemas/field-schema.ts'
import type { RouteKind } from './describe-route.ts'
import type { LinkPathContext } from './link-paths.ts'
import { pathHeaders, requiredHeaders, writtenSegment } from './path-parameters.ts'

/** What the paths of actions are made of. */
export interface ActionPathContext extends LinkPathContext {
  readonly actions: CheckedActions
  readonly schemas: Components<JsonSchema>
}

/** The paths of a mount's actions. `ids`: those in the path of the collection, and with true of a record. */
export function actionPathsOf(
  mount: Mount,
  collection: string,
  ids: (hasId: boolean) => readonly Ref[],
  context: ActionPathContext,
): [path: string, item: PathItem][] {
  const { key } = mount.path.resource
  const all = [...(context.actions.get(key)?.values() ?? [])].filter(({ name }) => context.describes(key, name))
  return all.flatMap((action): [string, PathItem][] => {
    const { name, isOfRecord, isRead } = action
    const path = `${collection}${isOfRecord ? '/{id}' : ''}/$act/${writtenSegment(name)}`
    if (context.hasRoute?.(path, isRead ? 'get' : 'post') === false) return []
    const headers = isRead ? [] : pathHeaders(isOfRecord, context.parameters)
    const of = (method: Method) => ({ [method]: operation(action, method, mount, context) })
    const methods = isRead ? { ...of('get'), ...(context.head && of('head')) } : of('post')
    return [[path, { parameters: [...ids(isOfRecord), ...headers], ...methods }]]
  })
}

function operation(action: CheckedAction, method: Method, mount: Mount, context: ActionPathContext): OpenApiOperation {
  const { resource, name, isOfRecord, body } = action
  const required = isOfRecord && method === 'post' ? requiredHeaders('patch', mount, context.parameters) : []
  const parameters = [...(method === 'head' ? [] : queryOf(action)), ...required]
  const id = [mount.owners[0]?.owns.source.key ?? resource.key, ...mount.owners.map(({ owns }) => owns.name), name]
  const about = isOfRecord ? `of ${withArticle(resource.key)} record` : `of ${resource.key} records`
  const schema = body && { ...componentOf(action, 'body', body.schema, context) }
  return {
    operationId: context.idPrefix + id.map(safeName).join('.') + (method === 'head' ? 'Head' : ''),
    summary: `${name} ${about}${method === 'head' ? ', headers only' : ''}`,
    tags: [resource.key],
    ...(parameters.length > 0 && { parameters }),
    ...(schema && {
      requestBody: { ...(body?.isOptional ? {} : { required: true }), content: { 'application/json': { schema } } },
    }),
    responses: context.responses.of(kindOf(action), method, mount, undefined, successOf(action, context)),
  }
}

/** The operation of the library that can fail as the action can. */
function kindOf({ isOfRecord, isRead }: CheckedAction): RouteKind {
  if (isRead) return isOfRecord ? 'findOne' : 'list'
  return isOfRecord ? 'patch' : 'create'
}

/** Undefined: the record. */
function successOf(
  action: CheckedAction,
  context: ActionPathContext,
): readonly [status: number, success: Ref | undefined] | undefined {
  const { resource, name, answer, isOfRecord } = action
  if (answer === undefined) return isOfRecord ? undefined : [204, undefined]
  const schema = { ...componentOf(action, 'answer', answer.schema, context) }
  const content = { 'application/json': { schema } }
  const made = () => ({ description: 'What the action answers.', content })
  return [200, context.responses.responses.ref(`${resource.key}.${safeName(name)}.answer`, made)]
}

function componentOf(
  { resource, name }: CheckedAction,
  part: 'body' | 'answer',
  schema: JsonSchema,
  { schemas }: ActionPathContext,
): Ref {
  return schemas.ref(`${resource.key}.${safeName(name)}.${part}`, ({ $ref }) => movedSchema(schema, $ref))
}

function queryOf({ query }: CheckedAction): readonly Parameter[] {
  const { properties = {}, required = [] } = (query?.schema ?? {}) as {
    readonly properties?: Readonly<Record<string, JsonSchema>>
    readonly required?: readonly string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: movedSchema(schema, ''),
  }))
}
