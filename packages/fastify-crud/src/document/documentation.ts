import type { Model } from '@fastify-crud/core'
import { mountsOf } from '@fastify-crud/core/internal'
import { MOST_IN_FULL, type OpenApiDocument, openApiOf, pathTemplate } from '@fastify-crud/openapi'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addPath } from '../http/add-path.ts'
import { type CrudOptions, DEFAULT_PREFIX } from '../options.ts'
import type { Service } from '../service.ts'
import { mergeDocument, type TargetDocument } from './merge-document.ts'

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
