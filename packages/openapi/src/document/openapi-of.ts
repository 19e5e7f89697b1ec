import type { Model } from '@fastify-crud/core'
import { checkModel, DEFAULT_LIMITS, type JsonSchema, mountsOf, readActions } from '@fastify-crud/core/internal'
import type {
  Components,
  OpenApiDocument,
  OpenApiResponse,
  OpenApiTag,
  PathItem,
} from '../components/openapi-document.ts'
import { componentsIn } from '../components/openapi-document.ts'
import {
  checkOpenApiOptions,
  DEFAULT_INFO,
  defaultsFor,
  OPENAPI_OPTIONS,
  type OpenApiOptions,
  SERVICE_OPTIONS,
  type ServiceOptions,
} from '../openapi-options.ts'
import { allChangesPath } from '../routes/change-paths.ts'
import type { OperationResponses } from '../routes/operation-responses.ts'
import { operationResponses } from '../routes/operation-responses.ts'
import { pathHeaders } from '../routes/path-parameters.ts'
import { pathsOf, pathTemplate } from '../routes/paths.ts'
import { resourceSchemasOf } from '../schemas/resource-schemas.ts'

/**
 * Returns the OpenAPI 3.1 document of a service: its paths, and the schemas of its bodies and answers. It needs neither
 * a server nor a database. The document, and the time that it takes to make it, grow with the model.
 *
 * @throws {TypeError} if the model is not what `defineResources` returned, or an option does not exist or cannot be
 * part of a document.
 *
 * @example
 * const document = openApiOf(resources, {
 *   info: { title: 'Books', version: '1.0.0' },
 *   servers: [{ url: 'https://books.example' }],
 * })
 * Object.keys(document.paths) // ['/api/book', '/api/book/{id}', …]
 */
export function openApiOf(model: Model, options: OpenApiOptions & ServiceOptions = {}): OpenApiDocument {
  checkModel(model)
  checkOpenApiOptions(options, [...OPENAPI_OPTIONS, ...SERVICE_OPTIONS], 'options')
  const { idPrefix = '', prefix = '/api', guarded = true, policies, describes = () => true } = options
  const { describesItself = true, batch, changes: hasChanges = false, hasRoute } = options
  const { head, filters, links, examples, bulk, partial = true } = { ...defaultsFor(model.resources.size), ...options }
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const access = {
    asks: guarded,
    mayRefuse: guarded || policies !== undefined || model.tenant !== undefined,
    mayMiss: model.tenant !== undefined,
    hides: new Set(policies?.hiding),
  }
  const schemas = resourceSchemasOf(model, { idPrefix, access, partial, examples })
  const responses = operationResponses(
    schemas.refTo,
    idPrefix,
    access,
    { ...options, bulk },
    schemas.schemas,
    describes,
  )
  const parameters = componentsIn<JsonSchema>('parameters', idPrefix)
  const actions = readActions(model, options.actions ?? {})
  const context = {
    model,
    prefix,
    idPrefix,
    limits,
    describes,
    hasRoute,
    actions,
    head,
    filters,
    links,
    hasChanges,
    partial,
    bulk,
    ...schemas,
    responses,
    parameters,
  }

  const mounts = mountsOf(model)
  const paths: Record<string, PathItem> = Object.fromEntries(mounts.flatMap((mount) => pathsOf(mount, context)))
  if (batch !== undefined) paths[pathTemplate(prefix, '/$batch')] = batchPath({ ...context, most: batch })
  const [first] = mounts
  const all = pathTemplate(prefix, '/$changes')
  if (hasChanges && first !== undefined && hasRoute?.(all, 'get') !== false) paths[all] = allChangesPath(first, context)
  const { info = DEFAULT_INFO, servers = [{ url: '/' }], security, securitySchemes } = options
  return {
    openapi: '3.1.0',
    info,
    servers,
    tags: tagsOf(model, options),
    ...(security && { security }),
    paths,
    components: {
      schemas: schemas.used(),
      responses: responses.responses.made,
      parameters: parameters.made,
      headers: responses.headers.made,
      ...(securitySchemes && { securitySchemes }),
    },
    ...(describesItself && { 'x-crud-models': [pathTemplate(prefix, '/$model')] }),
  }
}

/** A tag for each resource, and those that the application adds. Its words about a tag come before ours. */
function tagsOf(model: Model, { tags = [] }: OpenApiOptions): OpenApiTag[] {
  const all = new Map<string, OpenApiTag>()
  for (const { key, description } of model.resources.values()) {
    all.set(key, { name: key, ...(description !== undefined && { description }) })
  }
  for (const tag of tags) all.set(tag.name, { ...all.get(tag.name), ...tag })
  return [...all.values()]
}

/** What the path of batches is made of. */
interface BatchPathContext {
  readonly idPrefix: string
  readonly schemas: Components<JsonSchema>
  readonly parameters: Components<JsonSchema>
  readonly responses: OperationResponses
  /** The most requests of a batch. */
  readonly most: number
}

/** The path by which several requests are one write. */
function batchPath({ idPrefix, schemas, parameters, responses, most }: BatchPathContext): PathItem {
  const body = schemas.ref('batch', () => batchSchema(most))
  const success: OpenApiResponse = {
    description: 'The answers, in the order of the requests.',
    content: { 'application/json': { schema: { ...schemas.ref('batchAnswers', () => ANSWERS) } } },
  }
  const [, ...headers] = pathHeaders(false, parameters)
  return {
    parameters: headers,
    post: {
      operationId: `${idPrefix}batch`,
      summary: 'Carry out several requests as one write',
      description:
        'All of them are done, or none. Each sees what those before it have done. An error is that of the request which is refused, with its index as `request`, and pointers that begin with `/requests`.',
      tags: [],
      requestBody: { required: true, content: { 'application/json': { schema: { ...body } } } },
      responses: responses.ofBatch(success),
    },
  }
}

function batchSchema(most: number): JsonSchema {
  return {
    type: 'object',
    description: 'Several requests as one write.',
    properties: { requests: { type: 'array', maxItems: most, items: REQUEST } },
    required: ['requests'],
    additionalProperties: false,
  }
}

const REQUEST: JsonSchema = {
  type: 'object',
  properties: {
    method: { type: 'string', enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
    path: {
      type: 'string',
      pattern: '^/',
      description:
        'Behind the prefix of the service, with its query. `$new.a` stands for the id of the record that the request `a` creates.',
      examples: ['/author', '/author/$new.a'],
    },
    body: {
      description: 'That of the request. In place of an id or a foreign key, `{ "$new": "a" }` stands for the same.',
    },
    as: {
      type: 'string',
      pattern: '^[A-Za-z0-9_-]{1,100}$',
      description: 'By what later requests name the record that this one creates.',
    },
    ifMatch: { type: 'string', description: 'As the header `If-Match` of a single request.' },
    maxAffected: {
      type: 'integer',
      minimum: 0,
      description: 'As the preference `max-affected` of a single request.',
    },
  },
  required: ['method', 'path'],
  additionalProperties: false,
}

const ANSWERS: JsonSchema = {
  type: 'object',
  description: 'What each request has answered.',
  properties: {
    answers: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          status: { type: 'integer', minimum: 200, maximum: 299 },
          location: {
            type: 'string',
            format: 'uri-reference',
            description: 'With 201: the path of the new record. Absent with `Prefer: tx=rollback`.',
          },
          etag: { type: 'string', description: 'Of a whole record.' },
          body: { description: 'As the request alone would have it. Absent where it would be empty.' },
        },
        required: ['status'],
        additionalProperties: false,
      },
    },
  },
  required: ['answers'],
  additionalProperties: false,
}
