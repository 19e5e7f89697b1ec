import type {
  AnyKysely,
  Count,
  ErrorsOption,
  Id,
  Model,
  Policies,
  ResourceKey,
  Rules,
  SessionOf,
} from '@fastify-crud/core'
import { DEFAULT_LIMITS, type Operation } from '@fastify-crud/core/internal'
import { checkOpenApiOptions, OPENAPI_OPTIONS, type OpenApiOptions } from '@fastify-crud/core/schema'
import type { FastifyRequest } from 'fastify'
import type { Handlers, ReplacedEndpoint } from './replaced-endpoint.ts'

export const DEFAULT_PREFIX = '/api'

export const DEFAULT_DECORATOR = 'crud'

const DEFAULTS: Limits = { ...DEFAULT_LIMITS, maxBody: 1024 * 1024, count: 'exact' }

export interface Limits {
  /** Records of a list if the request does not say. Default 20, or `maxPage` where that is less. */
  readonly defaultPage: number
  /** The highest `limit` of a list. Default 100. */
  readonly maxPage: number
  /** Bytes of one body; beyond: 413. Default 1 MiB. */
  readonly maxBody: number
  /** Array elements of one body; beyond: 400. Default 10,000. */
  readonly maxItems: number
  /** Objects and arrays inside each other in one body; beyond: 400. Default 64. */
  readonly maxDepth: number
  /** Bytes of one answer; beyond: 400 for a read, and a write is answered without its record. Default 32 MiB, at most 256 MiB. */
  readonly maxAnswer: number
  /** Conditions of one filter; beyond: 400. Default 50. */
  readonly maxFilters: number
  /** Filters inside each other; beyond: 400. Default 5. */
  readonly maxFilterDepth: number
  /** The highest limit of an array that `include` adds; beyond: 400. Default 1,000. */
  readonly maxNested: number
  /** The limit of a list, multiplied by those of the arrays that `include` adds along a path; beyond: 400. Default 100,000. */
  readonly maxRows: number
  /**
   * How the records of a list are counted if the request does not say: `'exact'` (the default), `'none'`, or up to a number, which costs
   * the same however many there are.
   */
  readonly count: Count
}

export const OPERATIONS: readonly Operation[] = ['list', 'findOne', 'create', 'replace', 'patch', 'delete']

export const ACTIONS = ['View', 'Add', 'Edit', 'Delete'] as const
export type Action = (typeof ACTIONS)[number]

/** What somebody wants to do. */
export interface AccessQuestion<K extends string = string, C = unknown> {
  readonly action: Action
  /** The resource's key. */
  readonly resource: K
  readonly operation: Operation
  /**
   * The request's own record, for operations on a single one that is there; undefined for `list` and `create`, for a PUT whose body
   * does not carry an id, for an id that no record can have (0, or 2^53 and more), and for other records. With `authorizedBy`, the
   * owner that the path names.
   */
  readonly id: Id | undefined
  /** The request's own record: where the question comes from. */
  readonly origin: { readonly resource: K; readonly id: Id | undefined }
  /** What the option `caller` returned. */
  readonly caller: C
}

/**
 * Whether the request may do it: only `true` allows. Asked about the request's own endpoint before anything is read. Then asked
 * once about each other action on each other resource that a write turns out to contain, before anything is written.
 */
export type Authorize<K extends string = string, C = unknown> = (
  request: FastifyRequest,
  question: AccessQuestion<K, C>,
) => boolean | Promise<boolean>

/** Who is asking, as the application knows it. */
export type CallerOf<C = unknown> = (request: FastifyRequest) => C | Promise<C>

/** The options of the plugin, besides those of `app.register`. */
export interface CrudOptions<M extends Model = Model, C = unknown> {
  /** A Kysely instance on SQLite or PostgreSQL. */
  readonly db: AnyKysely
  /** What `defineResources` returned. */
  readonly resources: M
  /** The path that all routes start with. Default `/api`. */
  readonly prefix?: string
  readonly limits?: Partial<Limits>
  /**
   * Who is asking: an object that is made once for each request, before anything else is done for it, and is frozen. What it throws
   * is answered as the application's own error.
   */
  readonly caller?: CallerOf<C>
  /**
   * PostgreSQL only, with `caller`: settings that the database has in each transaction of a request, reads included, such as
   * `{ 'app.user': '7' }`. Its own policies (row level security) see there who is asking. The store on the instance
   * then needs `as(caller)` or `asSystem()`. Default: none.
   */
  readonly session?: SessionOf<NoInfer<C>>
  /** Default: everything is allowed, and a warning is logged once at start. */
  readonly authorize?: Authorize<ResourceKey<NoInfer<M>>, NoInfer<C>>
  /**
   * With which rows a caller may do what. Then each resource whose records can be without an owner needs a policy, and the store on
   * the instance needs `as(caller)` or `asSystem()`. Default: all rows.
   */
  readonly policies?: Policies<NoInfer<M>, NoInfer<C>>
  /**
   * What the application adds to its records, for each resource: what holds for every write, whichever way it takes. Default: nothing.
   */
  readonly rules?: Rules<NoInfer<M>, NoInfer<C>>
  /**
   * Gets the driver's error where the database has refused a write, and may report it in the application's own words. Default: a neutral
   * answer.
   */
  readonly errors?: ErrorsOption
  /** Predefined endpoints to replace. */
  readonly handlers?: Handlers<NoInfer<M>>
  /**
   * The name of the typed store on the instance that the plugin is registered on: `app.crud.book.find(1)`. Default `'crud'`;
   * `false`: there is none. A name that is taken fails the start.
   */
  readonly decorator?: string | false
  /** What the OpenAPI document says besides the model, and where it is served. */
  readonly openapi?: CrudOpenApiOptions
}

export interface CrudOpenApiOptions extends OpenApiOptions {
  /** Where the document is served, below the prefix: `/openapi.json`. Default: nowhere. */
  readonly path?: string
}

const SINGLE: ReadonlySet<Operation> = new Set(['findOne', 'replace', 'patch', 'delete'])

/** Operations on a single record that is there. */
export function isSingle(operation: Operation): boolean {
  return SINGLE.has(operation)
}

/** Defaults filled in. Throws a TypeError that says what is wrong with the options. */
export function checkLimits(given: Partial<Limits> | undefined): Limits {
  const { maxPage = DEFAULTS.maxPage } = given ?? {}
  const defaultPage = Math.min(DEFAULTS.defaultPage, maxPage)
  const limits = { ...DEFAULTS, defaultPage, ...given }
  // The store checks how it is to count.
  const { count: _count, ...numbers } = limits
  for (const name of Object.keys(limits)) {
    if (!Object.hasOwn(DEFAULTS, name)) {
      throw new TypeError(`limits.${name}: there is no such limit; there are ${Object.keys(DEFAULTS).join(', ')}`)
    }
  }
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isSafeInteger(value) || value < 1) throw new TypeError(`limits.${name}: must be a positive integer`)
  }
  if (limits.defaultPage > limits.maxPage)
    throw new TypeError(`limits.defaultPage: must not be more than limits.maxPage, which is ${limits.maxPage}`)
  return limits
}

/** The plugin's own options, and those of `fastify.register`. */
const OPTIONS = [
  'db',
  'resources',
  'prefix',
  'limits',
  'caller',
  'session',
  'authorize',
  'policies',
  'rules',
  'errors',
  'handlers',
  'decorator',
  'openapi',
  'logLevel',
  'logSerializers',
]

/** Throws a TypeError for options that would be misunderstood, or not at all. */
export function checkOptions(options: CrudOptions): void {
  for (const name of Object.keys(options)) {
    if (!OPTIONS.includes(name))
      throw new TypeError(`fastify-crud has no option '${name}'; there are ${OPTIONS.join(', ')}`)
  }
  const { authorize, caller, decorator } = options
  if (caller !== undefined && typeof caller !== 'function') throw new TypeError('caller: must be a function')
  if (authorize !== undefined && typeof authorize !== 'function') throw new TypeError('authorize: must be a function')
  if (decorator !== undefined && decorator !== false && (typeof decorator !== 'string' || decorator === ''))
    throw new TypeError('decorator: must be a name, or false for none')
  checkOpenApi(options.openapi ?? {})
}

function checkOpenApi(options: CrudOpenApiOptions): void {
  if (typeof options !== 'object' || options === null) throw new TypeError('openapi: must be an object')
  checkOpenApiOptions(options, ['path', ...OPENAPI_OPTIONS], 'openapi')
  const { path } = options
  if (path !== undefined && !/^\/[^:*]+$/.test(path)) {
    throw new TypeError(`openapi.path: must be a path without parameters, such as '/openapi.json'`)
  }
}

/** Throws a TypeError for a handler that would replace nothing, or that does not say who may call it. */
export function checkHandlers(handlers: Handlers, model: Model): void {
  for (const [key, operations] of Object.entries(handlers)) {
    if (!model.resources.has(key)) {
      throw new TypeError(`handlers.${key}: no resource '${key}'; there are ${[...model.resources.keys()].join(', ')}`)
    }
    for (const [operation, endpoint] of Object.entries(operations ?? {})) {
      const name = `handlers.${key}.${operation}`
      if (!OPERATIONS.includes(operation as Operation)) {
        throw new TypeError(`${name}: no operation '${operation}'; there are ${OPERATIONS.join(', ')}`)
      }
      checkEndpoint(name, operation as Operation, endpoint)
    }
  }
}

function checkEndpoint(name: string, operation: Operation, endpoint: ReplacedEndpoint | undefined): void {
  if (typeof endpoint?.handler !== 'function') throw new TypeError(`${name}.handler: must be a function`)
  const { access } = endpoint
  if (typeof access !== 'object' || access === null) {
    throw new TypeError(`${name}.access: a replaced endpoint declares its access, such as { action: 'View' }`)
  }
  if (!ACTIONS.includes(access.action))
    throw new TypeError(`${name}.access.action: must be one of ${ACTIONS.join(', ')}`)
  if (isSingle(operation) && typeof access.id !== 'string') {
    throw new TypeError(`${name}.access.id: must name the path parameter that holds the record's id, such as 'id'`)
  }
}
