import { CrudError, invalid, shortened, writtenButHidden, writtenButTooLarge } from '../errors.ts'
import type { Address } from '../model/address.ts'
import type { AnyCaller } from '../model/any-caller.ts'
import { ownedPath, topPath } from '../model/collection-path.ts'
import { DEFAULT_LIMITS } from '../model/default-limits.ts'
import type { Id } from '../model/ids.ts'
import type { Model } from '../model/model.ts'
import { didYouMean } from '../model/suggest.ts'
import type { AnyKysely } from '../query/dialect/database.ts'
import type { ListRequest } from '../reading/list-query.ts'
import type { RecordRequest } from '../reading/record-query.ts'
import type { Rules } from '../rules/rule-types.ts'
import { checkedAddress, checkedId } from './check-ids.ts'
import type { Asked, JsonStore, StoreOptions, WrittenRecord } from './json-store.ts'
import type { Policies } from './policy-types.ts'
import type { Collection, CreateOptions, DryRun, GuardedStore, SessionOf, Store, WriteOptions } from './store-types.ts'
import { type Stores, storesOf } from './stores.ts'

/**
 * The records of a model in a database, without HTTP: find, list, create, replace, patch and delete, by the same rules
 * as the routes.
 *
 * Goes in: a Kysely instance and the model. An instance that is a transaction already is used as it is: whoever began
 * it commits it, and nothing is tried again in it.
 *
 * With `policies` or `session`, the store needs `as(caller)` or `asSystem()`. A transaction of the application's own is given no settings.
 *
 * @example
 * const store = createStore({ db, resources })
 * const book = await store.book.create({ title: 'Plans', publisherId: 3, authors: [{ id: 1 }] })
 * await store.book.owned(book.id, 'chapters').create({ title: 'One' })
 */
export function createStore<M extends Model, C = AnyCaller>(
  options: StoreOptions<M> &
    WithRules<M, C> & { readonly policies: Policies<NoInfer<M>, C>; readonly session?: SessionOf<C> },
): GuardedStore<M, C>
export function createStore<M extends Model, C = AnyCaller>(
  options: StoreOptions<M> & WithRules<M, C> & { readonly session: SessionOf<C> },
): GuardedStore<M, C>
export function createStore<M extends Model, C = AnyCaller>(options: StoreOptions<M> & WithRules<M, C>): Store<M>
// Of no closer type: the compiler would compare all of a store's types with those of the signatures above.
export function createStore({
  policies,
  session,
  rules,
  ...options
}: StoreOptions & {
  readonly policies?: Policies
  readonly session?: SessionOf
  readonly rules?: unknown
}): object {
  return storeOver(storesOf(options, { policies, session, rules }))
}

interface WithRules<M extends Model, C> {
  /** What the application adds to its records. */
  readonly rules?: Rules<NoInfer<M>, NoInfer<C>>
}

/** The typed store on top of JSON stores. */
export function storeOver(stores: Stores): GuardedStore {
  if (!stores.isGuarded) return storeFor(stores, undefined)
  return Object.freeze({
    ...refusingOf(stores.model),
    ...askingOf(stores),
    in: (db: AnyKysely) => storeOver(stores.in(db)),
  })
}

/** The ways to say who is asking. */
function askingOf(stores: Stores): Pick<GuardedStore, 'as' | 'asSystem'> {
  return {
    as(caller) {
      if (typeof caller !== 'object' || caller === null)
        throw new TypeError('as: the caller must be an object, such as { id: 7 }')
      // Whatever becomes of the object that was given, the store stays the store of this caller.
      return storeFor(stores, Object.freeze(Object.assign(Object.create(Object.getPrototypeOf(caller)), caller)))
    },
    asSystem: () => storeFor(stores, undefined),
  }
}

/** Without a caller: the store of the application itself. */
function storeFor(stores: Stores, caller: AnyCaller | undefined): Store {
  const store = caller === undefined ? stores.system : stores.of(caller)
  const asked: Asked = caller === undefined ? {} : Object.freeze({ requestContext: Object.freeze({ caller }) })
  const resource = (key: string) => collection(store, asked, { path: topPath(store.model, key), owners: [] })
  const others = { resource, ...askingOf(stores), in: (db: AnyKysely) => storeFor(stores.in(db), caller) }
  return Object.freeze({ ...collectionsOf(stores.model, resource), ...others }) as never
}

function collectionsOf(model: Model, ofResource: (key: string) => Collection): Readonly<Record<string, Collection>> {
  const roots = [...model.resources.values()].filter(({ isRoot }) => isRoot)
  return Object.fromEntries(roots.map(({ key }) => [key, ofResource(key)]))
}

/** In a program without types, the names are there to say what is missing. */
function refusingOf(model: Model): Readonly<Record<string, Collection>> {
  const refuse = () => {
    throw new TypeError(
      'the store has policies or `session`: say who is asking, by as(caller), or by asSystem() for the application itself',
    )
  }
  const refusing = new Proxy({}, { get: refuse }) as Collection
  return { ...collectionsOf(model, () => refusing), resource: refuse as never }
}

/** The untyped collection: its types are those of the descriptors, which only the types of the store know. */
function collection(store: JsonStore, asked: Asked, at: Address): Collection {
  const parse = (json: string) => JSON.parse(json)
  const written = ({ id, json, isHidden, plan }: WrittenRecord) => {
    if (plan !== undefined) return { record: json === undefined ? undefined : parse(json), plan }
    if (json !== undefined) return parse(json)
    const { key } = at.path.resource
    throw new CrudError(isHidden ? writtenButHidden(key, id) : writtenButTooLarge(key, id))
  }
  const termsOf = (method: string, options: WriteOptions | DryRun = {}, others: readonly string[] = []): Asked => {
    checkOptions(method, options, ['dryRun', ...others])
    return options.dryRun === true ? { ...asked, rollsBack: true } : asked
  }
  return {
    find: async (id: Id, options?: RecordRequest) =>
      parse(await store.find(at, checkedId(at, id), recordRequest(options), asked)),
    list: async (options?: Partial<ListRequest>) =>
      parse(await store.list(checkedAddress(at), listRequest(options), asked)),
    create: async (body: unknown, options?: CreateOptions & (WriteOptions | DryRun)) =>
      written(await store.create(checkedAddress(at), body, options?.id, termsOf('create', options, ['id']))),
    replace: async (id: Id, body: unknown, options?: WriteOptions | DryRun) =>
      written(await store.replace(at, checkedId(at, id), body, termsOf('replace', options))),
    patch: async (id: Id, body: unknown, options?: WriteOptions | DryRun) =>
      written(await store.patch(at, checkedId(at, id), body, termsOf('patch', options))),
    delete: async (id: Id, options?: WriteOptions | DryRun) => {
      const plan = await store.delete(at, checkedId(at, id), termsOf('delete', options))
      return (plan && { plan }) as never
    },
    owned: (id, relation) =>
      collection(store, asked, { path: ownedPath(at.path, relation as string), owners: [...at.owners, id] }),
  }
}

const CONTENTS = ['fields', 'include', 'nested']

function recordRequest(options: RecordRequest | undefined): RecordRequest | undefined {
  if (options !== undefined) checkOptions('find', options, CONTENTS)
  return options
}

function listRequest(options: Partial<ListRequest> = {}): ListRequest {
  checkOptions('list', options, ['limit', 'offset', 'filter', 'sort', 'count', 'after', ...CONTENTS])
  const { limit = DEFAULT_LIMITS.defaultPage, offset } = options
  const isOffset = offset === undefined || (Number.isSafeInteger(offset) && offset >= 0)
  if (isOffset && Number.isSafeInteger(limit) && limit >= 1) return { ...options, limit }
  throw new CrudError(invalid([{ pointer: '', message: 'limit is an integer from 1, offset an integer from 0' }]))
}

function checkOptions(method: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  throw new CrudError(
    invalid(
      unknown.map((name) => ({
        pointer: '',
        message: `${method} has no option '${shortened(name)}'${didYouMean(name, known)}`,
      })),
    ),
  )
}
