import type {
  Actions,
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
import type { OpenApiOptions } from '@fastify-crud/openapi'
import type { FastifyRequest, RegisterOptions } from 'fastify'
import type { Authorize } from './access/authorize.ts'
import type { ChangesOptions } from './changes/changes-options.ts'
import type { Databases } from './databases/databases-options.ts'
import type { Handlers } from './http/replaced-endpoint.ts'
import type { Routes } from './http/route-settings.ts'
import type { ReplicaOptions } from './replica/replica.ts'

export const DEFAULT_PREFIX = '/api'

export const DEFAULT_DECORATOR = 'crud'

/** The values of the option `tables`. */
export const TABLES_OPTIONS = ['check', 'warn', 'off'] as const

export const DEFAULT_TABLES = 'check'

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
  /** Bytes of one answer; beyond: 400 for a read, and a write is answered without its record. Default 32 MiB, at most
   * 256 MiB. */
  readonly maxAnswer: number
  /** Conditions of one filter; beyond: 400. Default 50. */
  readonly maxFilters: number
  /** Filters inside each other; beyond: 400. Default 5. */
  readonly maxFilterDepth: number
  /** What one query may cost; beyond: 400. A comparison costs 1, what takes the database longer more. Default 100. */
  readonly maxCost: number
  /** The highest limit of an array that `include` adds; beyond: 400. Default 1,000. */
  readonly maxNested: number
  /** The limit of a list, multiplied by those of the arrays that `include` adds along a path; beyond: 400. Default
   * 100,000. */
  readonly maxRows: number
  /** The most changes of one write whose effects are listed (`Prefer: return=effects`); beyond: 400, and nothing is
   * done. Default 10,000. */
  readonly maxChanges: number
  /** Records that are read to group them; beyond: 400. Default 1,000,000. */
  readonly groupRows: number
  /**
   * How the records of a list are counted if the request does not say: `'exact'` (the default), `'none'`, or up to a
   * number, which costs the same however many there are.
   */
  readonly count: Count
  /** Milliseconds that an action may take, without what it prepares; beyond: 503, and nothing is stored. Default
   * 10,000. */
  readonly action: number
  /** Requests of a batch; beyond: 400. Default 100. */
  readonly batch: number
  /** With `db.of`: the most databases that the service remembers, beside those that are in use. Default 100. */
  readonly maxDatabases: number
}

/** Who is asking, as the application knows it. */
export type CallerOf<C = unknown> = (request: FastifyRequest) => C | Promise<C>

/** Whose records a request is about: the id of a tenant; undefined or null: none, and the answer is 403. */
export type TenantOf<C = unknown> = (
  caller: C,
  request: FastifyRequest,
) => Id | null | undefined | Promise<Id | null | undefined>

/** The options of the plugin, besides those of `app.register`. */
export interface CrudOptions<M extends Model = Model, C = unknown, A = unknown> extends OptionsOfModel<M, C, A> {
  /** What `defineResources` returned. */
  readonly resources: M
}

/** All options but the model itself. */
export interface OptionsOfModel<M extends Model, C, A = unknown> {
  /** A Kysely instance on SQLite or PostgreSQL. Or one for each tenant: `{ model, of: (caller, request) => … }`. */
  readonly db: AnyKysely | Databases<NoInfer<C>>
  /** The path that all routes start with. Default `/api`. */
  readonly prefix?: string
  readonly limits?: Partial<Limits>
  /**
   * Who is asking: an object that is made once for each request, before anything else is done for it, and is frozen.
   * What it throws is answered as the application's own error.
   */
  readonly caller?: CallerOf<C>
  /**
   * PostgreSQL only, with `caller`: settings that the database has in each transaction of a request, reads included,
   * such as `{ 'app.user': '7' }`. Its own policies (row level security) see there who is asking. The store on the
   * instance then needs `as(caller)` or `asSystem()`. Default: none.
   */
  readonly session?: SessionOf<NoInfer<C>>
  /**
   * In a model with tenants: whose records the request is about. It is asked once for each request, behind `caller` and
   * before `authorize`. Without an answer, the routes of tenants' resources are 403; an id that is none is 404.
   */
  readonly tenant?: TenantOf<NoInfer<C>>
  /** PostgreSQL only: another server that has the same records, for reads. Default: all is read from `db`. */
  readonly replica?: ReplicaOptions
  /** Default: everything is allowed, and a warning is logged once at start. */
  readonly authorize?: Authorize<ResourceKey<NoInfer<M>>, NoInfer<C>>
  /**
   * With which rows a caller may do what. Then each resource whose records can be without an owner needs a policy, and
   * the store on the instance needs `as(caller)` or `asSystem()`. Default: all rows.
   */
  readonly policies?: Policies<NoInfer<M>, NoInfer<C>>
  /**
   * What the application adds to its records, for each resource: what holds for every write, whichever way it takes.
   * Default: nothing.
   */
  readonly rules?: Rules<NoInfer<M>, NoInfer<C>>
  /** The verbs of the application, for each resource: see `defineActions`. Default: none. */
  readonly actions?: Actions<NoInfer<M>, NoInfer<C>> & A
  /** How a caller is named in the history of records, as a value of JSON. Default: it is not. */
  readonly historyOf?: (caller: NoInfer<C>) => unknown
  /**
   * Gets the driver's error where the database has refused a write, and may report it in the application's own words.
   * Default: a neutral answer.
   */
  readonly errors?: ErrorsOption
  /**
   * What `checkTables` finds at the start. `'check'` (the default): tables of another structure than the model's fail
   * it, with all differences in one error; all else is a warning in the log. `'warn'`: everything is in the log.
   * `'off'`: the tables are not checked. A database that cannot be reached is an error in the log.
   */
  readonly tables?: (typeof TABLES_OPTIONS)[number]
  /** Predefined endpoints to replace, and actions to wrap. */
  readonly handlers?: Handlers<NoInfer<M>, NoInfer<C>, NoInfer<A>>
  /** What Fastify's routes have besides, by resource and operation or action: `config` for other plugins, hooks,
   * `logLevel`. */
  readonly routes?: Routes<NoInfer<M>, NoInfer<A>>
  /**
   * The name of the typed store on the instance that the plugin is registered on, `app.crud.book.find(1)`, and of the
   * method of requests that resolves to the store of the request's caller, `(await request.crud()).book.find(1)`.
   * Default `'crud'`; `false`: there is none. A name that is taken fails the start.
   */
  readonly decorator?: string | false
  /** `false`: there is no `/$model`, by which the service describes itself to clients. Default: `true`. */
  readonly describe?: boolean
  /** `true`: `POST /$batch` carries out several requests as one write. Default: `false`. */
  readonly batch?: boolean
  /**
   * `true`: `GET /$changes`, and `/$changes` behind collections and records, tell of changes as they happen, if
   * resources keep a history. An object says more. Default: `false`.
   */
  readonly changes?: boolean | ChangesOptions
  /** What the OpenAPI document says besides the model, and where it is served. */
  readonly openapi?: CrudOpenApiOptions
}

/**
 * The options of the plugin, as they are given. With it, an error of the compiler is about the option that is wrong.
 * `app.register` has several signatures, so there the compiler also says why each other one does not match.
 *
 * @example
 * await app.register(crudPlugin, crudOptions(resources, { db, prefix: '/v1' }))
 */
export function crudOptions<M extends Model, C, A>(
  resources: M,
  options: OptionsOfModel<M, C, A> & RegisterOptions,
): CrudOptions<M, C, A> & RegisterOptions {
  return { ...options, resources }
}

export interface CrudOpenApiOptions extends OpenApiOptions {
  /** Where the document is served, below the prefix: `/openapi.json`. Default: nowhere. */
  readonly path?: string
}
