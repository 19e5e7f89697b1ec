import type { OpenStores } from '../actions/act.ts'
import type { AnyCaller } from '../model/callers.ts'
import { topPath } from '../model/collection-path.ts'
import type { TenantDeclaration } from '../model/descriptors/tenant.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { type Model, resourceOf } from '../model/model.ts'
import type { Rules } from '../rules/active-rules.ts'
import type { ErrorsOption } from '../rules/stages/refusals.ts'
import { type AnyKysely, databaseOf } from '../sql/dialect/database.ts'
import { type ActionContext, collection } from './collection.ts'
import type { Actions } from './define-actions.ts'
import type { JsonStore } from './json-store.ts'
import { batchOf } from './store-batch.ts'
import { type Stores, type StoresOptions, storesOf } from './stores.ts'
import { acrossTenants, checkedTenant, tenantNamed } from './tenants.ts'
import type { WithActions } from './types/act-methods.ts'
import type { BatchOptions } from './types/batch-methods.ts'
import type { Policies } from './types/policy-types.ts'
import type { StoreOptions } from './types/store-options.ts'
import type {
  Collection,
  DatabaseStores,
  GuardedStore,
  SessionOf,
  Store,
  SystemStore,
  WhoseRecords,
} from './types/store-types.ts'
import type { Asked } from './types/write-options.ts'

/**
 * The records of a model in a database, without HTTP: find, list, create, replace, patch and delete, by the same rules
 * as the routes.
 *
 * Goes in: a Kysely instance and the model. An instance that is a transaction already is used as it is: whoever began
 * it commits it, and nothing is tried again in it.
 *
 * With `policies` or `session`, the store needs `as(caller)` or `asSystem()`. A transaction of the application's own is
 * given no settings.
 *
 * @example
 * const store = createStore({ db, resources })
 * const book = await store.book.create({ title: 'Plans', publisherId: 3, authors: [{ id: 1 }] })
 * await store.book.owned(book.id, 'chapters').create({ title: 'One' })
 */
export function createStore<M extends Model, C = AnyCaller, A = unknown>(
  options: StoreOptions<M> &
    WithRules<M, C, A> & { readonly policies: Policies<NoInfer<M>, C>; readonly session?: SessionOf<C> },
): GuardedStore<WithActions<M, A>, C>
export function createStore<M extends Model, C = AnyCaller, A = unknown>(
  options: StoreOptions<M> & WithRules<M, C, A> & { readonly session: SessionOf<C> },
): GuardedStore<WithActions<M, A>, C>
// Rules may be those of a service, with its type of callers.
export function createStore<M extends Model, C = AnyCaller, A = unknown>(
  options: StoreOptions<M> &
    Pick<WithRules<M, C, A>, 'errors' | 'actions' | 'historyOf'> & { readonly rules?: Rules<NoInfer<M>, C> },
): M['tenant'] extends TenantDeclaration ? GuardedStore<WithActions<M, A>> : Store<WithActions<M, A>>
// Of no closer type: the compiler would compare all of a store's types with those of the signatures above.
export function createStore(options: Omit<StoresOptions, 'logOf'>): object {
  return storeOver(storesOf(options))
}

interface WithRules<M extends Model, C, A> {
  /** What the application adds to its records. */
  readonly rules?: Rules<NoInfer<M>, NoInfer<C>>
  /** The verbs of the application: what `defineActions` returned, or the same here. Default: none. */
  readonly actions?: A & Actions<NoInfer<M>, NoInfer<C>>
  /** How a caller is named in the history of records, as a value of JSON. Default: it is not. */
  readonly historyOf?: (caller: NoInfer<C>) => unknown
  /** Says in the application's own words why the database has refused a write. Default: a neutral answer. */
  readonly errors?: ErrorsOption
}

/** The typed store on top of JSON stores. */
export function storeOver(stores: Stores): GuardedStore {
  if (!stores.isGuarded) return storeFor(stores)
  return Object.freeze({
    ...refusingOf(stores.model, () => {
      throw new TypeError(
        'the store has policies, tenants or `session`: name the caller with as(caller), or use asSystem() for the application itself',
      )
    }),
    ...askingOf(stores),
    in: (db: AnyKysely) => storeOver(stores.in(db)),
    on: (db: AnyKysely) => storeOver(storesOn(stores, db)),
  })
}

/** The store of a service that has a database for each tenant: it does nothing without one. */
export function storeOfDatabases(stores: Stores): DatabaseStores {
  const refuse = () => {
    throw new TypeError('the service has a database for each tenant: name it with on(db)')
  }
  const refused = Object.fromEntries(['as', 'asSystem', 'in'].map((name) => [name, refuse]))
  return Object.freeze({
    ...refusingOf(stores.model, refuse),
    ...refused,
    on: (db: AnyKysely) => storeOver(storesOn(stores, db)),
  })
}

/** The ways to say who is asking. */
function askingOf(stores: Stores): Pick<GuardedStore, 'as' | 'asSystem'> {
  return {
    as(caller, whose) {
      if (typeof caller !== 'object' || caller === null)
        throw new TypeError('as: the caller must be an object, such as { id: 7 }')
      const tenant = tenantNamed(stores.model, whose)
      if (stores.model.tenant !== undefined && tenant === undefined)
        throw new TypeError('as: the model has tenants; name the one that the caller works for: as(caller, { tenant })')
      // Whatever becomes of the object that was given, the store stays the store of this caller.
      const kept = Object.freeze(Object.assign(Object.create(Object.getPrototypeOf(caller)), caller))
      return storeFor(stores, { caller: kept, tenant })
    },
    asSystem: (whose?: WhoseRecords) => storeFor(stores, { tenant: tenantNamed(stores.model, whose) }) as SystemStore,
  }
}

function storesOn(stores: Stores, db: AnyKysely): Stores {
  databaseOf(db)
  if (db.isTransaction) throw new TypeError('on: takes another database; in a transaction, use in(trx)')
  return stores.on(db)
}

/** On whose behalf a store works. */
export interface Whose {
  /** Undefined for the application itself. */
  readonly caller?: AnyCaller | undefined
  /** Undefined in a model without tenants, and for what the application does across them. */
  readonly tenant?: Id | undefined
}

/** Opens what an action of somebody's is given: their store, and that of the application itself. */
export function storesForActions(stores: Stores, whose: Whose): OpenStores {
  return (db, { end, onlyReads }) => {
    const there = db === undefined ? stores : stores.in(db, end)
    const opened = onlyReads === undefined ? there : there.onlyReading(onlyReads)
    return { store: storeFor(opened, whose), system: storeFor(opened, { tenant: whose.tenant }) }
  }
}

function storeFor(stores: Stores, whose: Whose = {}): Store {
  const { model } = stores
  const { caller, tenant } = whose
  const storeIn = (there: Stores) =>
    caller !== undefined ? there.of(caller) : tenant === undefined ? there.system : there.ofTenant
  const store = storeIn(stores)
  const isPlain = caller === undefined && tenant === undefined
  const asked: Asked = isPlain ? {} : Object.freeze({ requestContext: Object.freeze({ caller, tenant }) })
  const openFor = (there: Stores) => storesForActions(there, whose)
  const acting: ActionContext = { actions: stores.actions, open: openFor(stores) }
  const spansTenants = model.tenant !== undefined && tenant === undefined
  const resource = (key: string) => {
    const at = { path: topPath(model, key), owners: [] }
    const isOfTenants = spansTenants && resourceOf(model, key).tenant?.isOwnId === false
    if (!isOfTenants) return collection(store, asked, at, acting)
    return acrossTenants(resourceOf(model, key), collection(stores.acrossTenants as JsonStore, asked, at, acting))
  }
  const others = {
    resource,
    async batch(requests: unknown, options?: BatchOptions) {
      if (spansTenants) throw new TypeError('batch: name the tenant whose records it is about: asSystem({ tenant })')
      return await batchOf({ stores, storeIn, openFor, asked, limits: stores.batchLimits }, requests, options)
    },
    visible: (key: string) => store.visible(resourceOf(model, key), asked.requestContext),
    ...askingOf(stores),
    in: (db: AnyKysely) => storeFor(stores.in(db), whose),
    on: (db: AnyKysely) => storeFor(storesOn(stores, db), whose),
    ...(spansTenants &&
      caller === undefined && { purgeTenant: (id: Id) => stores.purgeTenant(checkedTenant(model, id)) }),
  }
  return Object.freeze(withOwned(stores.model, { ...collectionsOf(stores.model, resource), ...others })) as never
}

function collectionsOf(model: Model, ofResource: (key: string) => Collection): Readonly<Record<string, Collection>> {
  const atTop = [...model.resources.values()].filter(({ isRoot, isTopLevel }) => isRoot || isTopLevel)
  return Object.fromEntries(atTop.map(({ key }) => [key, ofResource(key)]))
}

/** In a program without types, the key of an owned resource says how its records are reached. `Object.keys` does not
 * list it. */
function withOwned(model: Model, store: object): object {
  for (const { key, isRoot } of model.resources.values()) {
    if (!isRoot && !(key in store)) Object.defineProperty(store, key, { get: () => topPath(model, key) })
  }
  return store
}

/** In a program without types, the names are there to say what is missing. */
function refusingOf(model: Model, refuse: () => never): Readonly<Record<string, Collection>> {
  const refusing = new Proxy({}, { get: refuse }) as Collection
  return {
    ...collectionsOf(model, () => refusing),
    resource: refuse as never,
    visible: refuse as never,
    batch: refuse as never,
  }
}
