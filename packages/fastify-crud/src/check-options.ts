import type { Model } from '@fastify-crud/core'
import {
  type CheckedActions,
  DEFAULT_LIMITS,
  isObject,
  keepsHistory,
  type Operation,
  serves,
  whyUnwritten,
} from '@fastify-crud/core/internal'
import { checkOpenApiOptions, OPENAPI_OPTIONS } from '@fastify-crud/openapi'
import { ACTIONS } from './access/authorize.ts'
import { checkDatabases, isDatabases } from './databases/databases-options.ts'
import { type Handlers, isSingle, OTHER_WAYS, type ReplacedEndpoint } from './http/replaced-endpoint.ts'
import { ROUTE_SETTINGS, type RouteSettings, type Routes } from './http/route-settings.ts'
import { type CrudOpenApiOptions, type CrudOptions, type Limits, TABLES_OPTIONS } from './options.ts'
import type { ReplicaOptions } from './replica/replica.ts'

/** The plugin's own options, and those of `fastify.register`. */
const OPTIONS = [
  'db',
  'resources',
  'prefix',
  'limits',
  'caller',
  'session',
  'tenant',
  'replica',
  'authorize',
  'policies',
  'rules',
  'actions',
  'historyOf',
  'errors',
  'tables',
  'handlers',
  'routes',
  'decorator',
  'describe',
  'batch',
  'changes',
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
  const { authorize, batch, caller, decorator, describe, replica, resources, tables, tenant } = options
  if (caller !== undefined && typeof caller !== 'function') throw new TypeError('caller: must be a function')
  if (tenant !== undefined && typeof tenant !== 'function') throw new TypeError('tenant: must be a function')
  if ((tenant !== undefined) !== ((resources as Partial<Model> | undefined)?.tenant !== undefined)) {
    const what = tenant === undefined ? 'is missing; the model has tenants' : 'the model has no tenants'
    throw new TypeError(`tenant: ${what}`)
  }
  checkDb(options)
  checkReplica(replica)
  if (authorize !== undefined && typeof authorize !== 'function') throw new TypeError('authorize: must be a function')
  if (decorator !== undefined && decorator !== false && (typeof decorator !== 'string' || decorator === ''))
    throw new TypeError('decorator: must be a name, or false for none')
  if (describe !== undefined && typeof describe !== 'boolean') throw new TypeError('describe: must be true or false')
  if (batch !== undefined && typeof batch !== 'boolean') throw new TypeError('batch: must be true or false')
  if (tables !== undefined && !TABLES_OPTIONS.includes(tables))
    throw new TypeError("tables: must be 'check', 'warn' or 'off'")
  checkOpenApi(options.openapi ?? {})
}

function checkDb({ db, replica, limits }: CrudOptions): void {
  if (!isDatabases(db)) {
    if (limits?.maxDatabases === undefined) return
    throw new TypeError('limits.maxDatabases: is for db: { model, of }, which has a database for each tenant')
  }
  checkDatabases(db)
  if (replica !== undefined) {
    throw new TypeError(
      'replica: is for one database; db: { model, of } has one for each tenant, and of may choose a replica',
    )
  }
}

function checkReplica(replica: CrudOptions['replica']): void {
  if (replica === undefined) return
  const { db, when, wait, cookie, ...others } = replica as Partial<ReplicaOptions>
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new TypeError(`replica: there is no '${unknown}'; there are db, when, wait, cookie`)
  if (typeof db !== 'object' || db === null) throw new TypeError('replica.db: must be a Kysely instance')
  if (typeof when !== 'function') throw new TypeError('replica.when: must be a function, such as () => true')
  if (wait !== undefined && !(Number.isSafeInteger(wait) && wait >= 0)) {
    throw new TypeError('replica.wait: must be a number of milliseconds')
  }
  if (cookie !== undefined && (typeof cookie !== 'boolean' || wait === undefined)) {
    throw new TypeError('replica.cookie: must be true or false, beside wait')
  }
}

function checkOpenApi(options: CrudOpenApiOptions): void {
  if (typeof options !== 'object' || options === null) throw new TypeError('openapi: must be an object')
  checkOpenApiOptions(options, ['path', ...OPENAPI_OPTIONS], 'openapi')
  const { path } = options
  if (path !== undefined && !/^\/[^:*]+$/.test(path)) {
    throw new TypeError(`openapi.path: must be a path without parameters, such as '/openapi.json'`)
  }
}

const TRASH_OPERATIONS: readonly Operation[] = ['deleted', 'restore', 'purge']
const OPERATIONS: readonly Operation[] = [
  ...(['list', 'findOne', 'create', 'replace', 'patch', 'delete'] as const),
  ...TRASH_OPERATIONS,
]

const NO_TRASH = "does not have it in its trash, as in softDelete: { column: 'deletedAt', trash: { purge: true } }"

/** What routes do that a handler cannot replace. */
const OF_HISTORY: readonly string[] = ['history', 'undo', 'changes']

/** Throws a TypeError for a handler that would replace nothing, or that does not say who may call it. */
export function checkHandlers(handlers: Handlers, model: Model, actions: CheckedActions): void {
  for (const { name, isOfRecord, said } of byOperation('handlers', handlers, model, actions)) {
    checkEndpoint(name, isOfRecord, said as ReplacedEndpoint | undefined)
  }
}

/** Throws a TypeError for settings of routes that are not there, and for those that a route cannot have. */
export function checkRoutes(routes: Routes, model: Model, actions: CheckedActions, hasChanges: boolean): void {
  const there = hasChanges ? OF_HISTORY : OF_HISTORY.filter((one) => one !== 'changes')
  for (const { name, said: settings } of byOperation('routes', routes, model, actions, there)) {
    if (!isObject(settings)) throw new TypeError(`${name}: must be an object, such as { config: {…} }`)
    for (const [setting, given] of Object.entries(settings)) {
      if (!ROUTE_SETTINGS.includes(setting as keyof RouteSettings)) {
        throw new TypeError(`${name}.${setting}: no such setting; there are ${ROUTE_SETTINGS.join(', ')}`)
      }
      if (setting === 'logLevel' || given === undefined) continue
      if (setting === 'config') checkConfig(`${name}.config`, given)
      else if (![given].flat().every((hook) => typeof hook === 'function')) {
        throw new TypeError(`${name}.${setting}: must be a hook, or an array of hooks`)
      }
    }
  }
}

function checkConfig(name: string, config: unknown): void {
  if (!isObject(config)) throw new TypeError(`${name}: must be an object`)
  const taken = ['crud', 'swaggerTransform'].find((key) => key in config)
  if (taken !== undefined) throw new TypeError(`${name}.${taken}: the plugin sets it itself`)
}

/** What an option says of an operation or an action. */
interface SaidOfOperation {
  /** Where the option says it. */
  readonly name: string
  /** It is about a single record that is there. */
  readonly isOfRecord: boolean
  readonly said: unknown
}

/** What an option says of each operation and action. Throws a TypeError that names a resource or operation without a
 * route. */
function* byOperation(
  option: string,
  byResource: Readonly<Record<string, object | undefined>>,
  model: Model,
  actions: CheckedActions,
  ofHistory: readonly string[] = [],
): Generator<SaidOfOperation> {
  for (const [key, operations] of Object.entries(byResource)) {
    const resource = model.resources.get(key)
    if (resource === undefined) {
      throw new TypeError(`${option}.${key}: no resource '${key}'; there are ${[...model.resources.keys()].join(', ')}`)
    }
    for (const [operation, said] of Object.entries(operations ?? {}) as [Operation, unknown][]) {
      const name = `${option}.${key}.${operation}`
      const action = actions.get(key)?.get(operation)
      if (action !== undefined) {
        yield { name, isOfRecord: action.isOfRecord, said }
        continue
      }
      if (ofHistory.includes(operation) && keepsHistory(resource)) {
        yield { name, isOfRecord: false, said }
        continue
      }
      if (!OPERATIONS.includes(operation)) {
        const there = OPERATIONS.filter((one) => resource.trash !== undefined || !TRASH_OPERATIONS.includes(one))
        const names = [...there, ...(actions.get(key)?.keys() ?? [])]
        throw new TypeError(`${name}: no operation '${operation}'; there are ${names.join(', ')}`)
      }
      if (!serves(resource, operation)) {
        const why = TRASH_OPERATIONS.includes(operation)
          ? NO_TRASH
          : `has ${whyUnwritten(resource)}; add one of your own`
        throw new TypeError(`${name}: there is no such route, as ${key} ${why}`)
      }
      yield { name, isOfRecord: isSingle(operation), said }
    }
  }
}

function checkEndpoint(name: string, isOfRecord: boolean, endpoint: ReplacedEndpoint | undefined): void {
  if (typeof endpoint?.handler !== 'function') throw new TypeError(`${name}.handler: must be a function`)
  const { access } = endpoint
  if (typeof access !== 'object' || access === null) {
    throw new TypeError(`${name}.access: a replaced endpoint declares its access, such as { action: 'View' }`)
  }
  if (!ACTIONS.includes(access.action))
    throw new TypeError(`${name}.access.action: must be one of ${ACTIONS.join(', ')}`)
  for (const way of endpoint.also ?? []) {
    if (!OTHER_WAYS.includes(way)) throw new TypeError(`${name}.also: no '${way}'; there are ${OTHER_WAYS.join(', ')}`)
  }
  if (isOfRecord && typeof access.id !== 'string') {
    throw new TypeError(`${name}.access.id: must name the path parameter that holds the record's id, such as 'id'`)
  }
}

const DEFAULTS: Limits = { ...DEFAULT_LIMITS, maxBody: 1024 * 1024, count: 'exact', maxDatabases: 100 }

/** The limits, with defaults for those that are not given. Throws a TypeError that says what is wrong with them. */
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
