import type { Model } from '@fastify-crud/core'
import { checkModel, DEFAULT_LIMITS, type JsonSchema, mountsOf, readActions } from '@fastify-crud/core/internal'
import type { OpenApiDocument, OpenApiTag, PathItem } from '../components/openapi-document.ts'
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
import { batchPath } from '../routes/batch-path.ts'
import { allChangesPath } from '../routes/change-paths.ts'
import { operationResponses } from '../routes/operation-responses.ts'
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
    hasPolicies: policies !== undefined,
    hasTenants: model.tenant !== undefined,
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
