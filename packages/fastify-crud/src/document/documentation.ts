import type { Model } from '@fastify-crud/core'
import type { JsonSchema } from '@fastify-crud/core/internal'
import { mountsOf } from '@fastify-crud/core/internal'
import {
  MOST_IN_FULL,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiOptions,
  type OpenApiTag,
  openApiOf,
  type PathItem,
  pathTemplate,
  toOpenApi30,
} from '@fastify-crud/openapi'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addPath } from '../http/add-path.ts'
import { type CrudOptions, DEFAULT_PREFIX } from '../options.ts'
import type { Service } from '../service.ts'

/** The `config` of every route, by which `@fastify/swagger` finds what describes it. */
export interface RouteConfig {
  readonly swaggerTransform: (given: SwaggerInput) => typeof HIDDEN
}

/** The methods of paths that a registration has, as documents write them. */
export class RoutesOfDocument {
  readonly #prefix: string
  readonly #routes = new Set<string>()

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** `url`: behind the prefix, as Fastify writes it. */
  add(method: string, url: string): void {
    this.#routes.add(`${method} ${pathTemplate(this.#prefix, url)}`)
  }

  has(path: string, method: string): boolean {
    return this.#routes.has(`${method.toUpperCase()} ${path}`)
  }
}

/** What `@fastify/swagger` hands to a route: the document that it is making, in OpenAPI or in Swagger 2. */
interface SwaggerInput {
  readonly url: string
  readonly openapiObject?: object
}

const HIDDEN = { schema: { hide: true }, url: '' } as const

/**
 * Describes the routes of a registration: at `openapi.path`, and in the document of an `@fastify/swagger` that was
 * registered before. Both documents are made when they are first asked for, so that the start need not wait for them.
 *
 * The routes themselves are hidden from `@fastify/swagger`: for a large model it would take seconds, and repeat in each
 * operation what all of them share. Instead, the first route that it looks at adds the document of all.
 */
export function documentRoutes(
  fastify: FastifyInstance,
  options: CrudOptions,
  { limits, stores: { hiding } }: Pick<Service, 'limits' | 'stores'>,
  documented: RoutesOfDocument,
): RouteConfig {
  const { path, ...openapi } = options.openapi ?? {}
  const { prefix } = fastify
  const guarded = options.authorize !== undefined || options.session !== undefined
  const policies = hiding && { policies: { hiding } }
  const documentOf = (idPrefix = ''): OpenApiDocument => {
    const isSmaller = options.resources.resources.size > MOST_IN_FULL && !SMALLER.every((name) => name in openapi)
    if (isSmaller) fastify.log.info(ABOUT_SIZE)
    const { resources, actions } = options
    return openApiOf(resources, {
      idPrefix,
      guarded,
      ...openapi,
      prefix,
      limits,
      ...policies,
      ...(actions && { actions }),
      describesItself: options.describe !== false,
      hasRoute: (at, method) => documented.has(at, method),
      ...(options.batch === true && { batch: limits.batch }),
      changes: options.changes !== undefined && options.changes !== false,
    })
  }

  warnOfLateSwagger(fastify)
  const merged = new WeakSet<object>()
  let warned = false
  const config: RouteConfig = {
    swaggerTransform({ openapiObject }) {
      if (openapiObject === undefined) {
        if (!warned) fastify.log.warn(ABOUT_SWAGGER_2)
        warned = true
      } else if (!merged.has(openapiObject)) {
        merged.add(openapiObject)
        mergeDocument(openapiObject as TargetDocument, documentOf(idPrefixOf(prefix)), openapi)
      }
      return HIDDEN
    },
  }
  if (path !== undefined) {
    let json: string | undefined
    checkFree(path, options.resources)
    const handler = async (_request: FastifyRequest, reply: FastifyReply) => {
      json ??= JSON.stringify(documentOf())
      return reply.header('content-type', 'application/json; charset=utf-8').send(json)
    }
    addPath(fastify, path, new Map([['GET', { handler, config }]]), config)
  }
  return config
}

/** Throws a TypeError if the path is that of a resource. */
function checkFree(path: string, model: Model): void {
  const taken = mountsOf(model).find(({ url }) => url === path)
  if (taken === undefined) return
  const { key } = taken.path.resource
  throw new TypeError(`openapi.path: '${path}' is the path of the resource '${key}' already; choose another one`)
}

/** What a document of many resources has less of, unless the options say otherwise. */
const SMALLER = ['head', 'filters', 'links', 'examples']

const ABOUT_SIZE = `fastify-crud: the OpenAPI document of more than ${MOST_IN_FULL} resources has no HEAD, no addresses of links, no examples and few filters; set ${SMALLER.map((name) => `openapi.${name}`).join(', ')} to have them`

const ABOUT_SWAGGER_2 =
  "fastify-crud: its routes are not in the document of @fastify/swagger, which is Swagger 2; register that with { openapi: { openapi: '3.1.0' } }"

/** Names of components and operations in a document that several models share: `v2.` for `/v2`, nothing for `/api`. */
function idPrefixOf(prefix: string): string {
  if (prefix === DEFAULT_PREFIX) return ''
  const name = prefix.replaceAll(/[^A-Za-z0-9]+/g, '.').replaceAll(/^\.|\.$/g, '')
  return name === '' ? '' : `${name}.`
}

/** `@fastify/swagger` does not see the routes that were there before it. */
function warnOfLateSwagger(fastify: FastifyInstance): void {
  const isThere = () => fastify.hasPlugin(SWAGGER)
  if (isThere()) return
  fastify.addHook('onReady', async () => {
    if (isThere()) {
      fastify.log.warn(`fastify-crud: its routes are not in the document of ${SWAGGER}; register ${SWAGGER} before it`)
    }
  })
}

const SWAGGER = '@fastify/swagger'

/** An application's own document, which is still being made. */
interface TargetDocument {
  openapi?: string
  readonly servers?: readonly { readonly url: string; readonly variables?: ServerVariables }[]
  tags?: readonly OpenApiTag[]
  paths: Record<string, object>
  components?: Record<string, Readonly<Record<string, object>>>
  'x-crud-models'?: readonly string[]
}

type ServerVariables = Readonly<Record<string, { readonly default?: unknown }>>

/**
 * Adds the paths, the components and the tags of a model to an application's own document. Its title and servers are
 * the application's; `security` is set for these operations only.
 *
 * @throws {Error} if the document has another component with the name of one of these.
 */
function mergeDocument(target: TargetDocument, ours: OpenApiDocument, { security }: OpenApiOptions): void {
  const components = { ...target.components }
  for (const [section, given] of Object.entries(ours.components) as [string, Record<string, object>][]) {
    const added = isOpenApi30(target) ? inOpenApi30(section, given) : given
    const present = components[section] ?? {}
    const taken = section === 'securitySchemes' ? [] : Object.keys(added).filter((name) => Object.hasOwn(present, name))
    if (taken.length > 0) {
      throw new Error(
        `the OpenAPI document has other components/${section} named ${taken.slice(0, 3).join(', ')}: set the plugin's option openapi.idPrefix`,
      )
    }
    components[section] = { ...added, ...present }
  }
  target.components = components

  const known = new Set((target.tags ?? []).map(({ name }) => name))
  target.tags = [...(target.tags ?? []), ...ours.tags.filter(({ name }) => !known.has(name))]

  const bases = basePathsOf(target)
  const belowServers = (path: string) =>
    bases.reduce((rest, base) => (rest.startsWith(`${base}/`) ? rest.slice(base.length) : rest), path)
  const paths = { ...target.paths }
  for (const [path, inOurs] of Object.entries(ours.paths)) {
    const item = isOpenApi30(target) ? pathFor30(inOurs) : inOurs
    const relative = belowServers(path)
    paths[relative] = { ...paths[relative], ...(security ? withSecurity(item, security) : item) }
  }
  target.paths = paths
  const models = ours['x-crud-models'] ?? []
  if (models.length > 0) target['x-crud-models'] = [...(target['x-crud-models'] ?? []), ...models.map(belowServers)]
}

/** The version in which `@fastify/swagger` writes a document that does not say one. */
function isOpenApi30({ openapi = '3.0.3' }: TargetDocument): boolean {
  return openapi.startsWith('3.0')
}

function inOpenApi30(section: string, given: Record<string, object>): Record<string, object> {
  const convert = { schemas: toOpenApi30, parameters: parameterFor30 }[section]
  if (convert === undefined) return given
  return Object.fromEntries(Object.entries(given).map(([name, component]) => [name, convert(component as JsonSchema)]))
}

function parameterFor30({ schema, ...parameter }: JsonSchema): JsonSchema {
  return schema === undefined ? parameter : { ...parameter, schema: toOpenApi30(schema as JsonSchema) }
}

/** The same path, with the parameters of its operations in OpenAPI 3.0. */
function pathFor30(item: PathItem): PathItem {
  const entries = Object.entries(item).map(([name, value]) => {
    const { parameters, ...operation } = value as OpenApiOperation
    if (name === 'parameters' || parameters === undefined) return [name, value]
    return [name, { ...operation, parameters: parameters.map((one) => parameterFor30(one as unknown as JsonSchema)) }]
  })
  return Object.fromEntries(entries)
}

/** The paths of the servers, which `@fastify/swagger` takes off the paths of all routes. */
function basePathsOf({ servers = [] }: TargetDocument): string[] {
  return servers.flatMap(({ url, variables }) => {
    const filled = url.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => String(variables?.[name]?.default ?? ''))
    const path = URL.canParse(filled) ? new URL(filled).pathname : filled
    const base = path.replace(/\/$/, '')
    return base.startsWith('/') ? [base] : []
  })
}

function withSecurity(item: PathItem, security: OpenApiOperation['security'] & object): PathItem {
  const entries = Object.entries(item).map(([name, value]) => [
    name,
    name === 'parameters' ? value : { ...(value as OpenApiOperation), security },
  ])
  return Object.fromEntries(entries)
}
