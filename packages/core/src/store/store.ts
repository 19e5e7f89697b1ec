import { CrudError, invalid, shortened, writtenButTooLarge } from '../errors.ts'
import type { Address } from '../model/address.ts'
import { ownedPath, topPath } from '../model/collection-path.ts'
import { DEFAULT_LIMITS } from '../model/default-limits.ts'
import type { Id } from '../model/ids.ts'
import type { Model } from '../model/model.ts'
import { didYouMean } from '../model/suggest.ts'
import { checkedAddress, checkedId } from './check-ids.ts'
import { createJsonStore, type JsonStore, type StoreOptions, type WrittenRecord } from './json-store.ts'
import type { Collection, CreateOptions, Page, Store } from './store-types.ts'

/**
 * The records of a model in a database, without HTTP: find, list, create, replace, patch and delete, by the same rules
 * as the routes.
 *
 * Goes in: a Kysely instance and the model. An instance that is a transaction already is used as it is: whoever began
 * it commits it, and nothing is tried again in it.
 *
 * @example
 * const store = createStore({ db, resources })
 * const book = await store.book.create({ title: 'Plans', publisherId: 3, authors: [{ id: 1 }] })
 * await store.book.owned(book.id, 'chapters').create({ title: 'One' })
 */
export function createStore<M extends Model>(options: StoreOptions<M>): Store<M> {
  return storeOver<M>(createJsonStore(options))
}

/** The typed store on top of a JSON store. */
export function storeOver<M extends Model>(store: JsonStore): Store<M> {
  const resource = (key: string) => collection(store, { path: topPath(store.model, key), owners: [] })
  const roots = [...store.model.resources.values()].filter(({ isRoot }) => isRoot)
  const collections = Object.fromEntries(roots.map(({ key }) => [key, resource(key)]))
  return Object.freeze({ ...collections, resource }) as never
}

/** The untyped collection: its types are those of the descriptors, which only the types of the store know. */
function collection(store: JsonStore, at: Address): Collection {
  const parse = (json: string) => JSON.parse(json)
  const written = ({ id, json }: WrittenRecord) => {
    if (json !== undefined) return parse(json)
    throw new CrudError(writtenButTooLarge(at.path.resource.key, id))
  }
  return {
    find: async (id) => parse(await store.find(at, checkedId(at, id))),
    list: async (page) => parse(await store.list(checkedAddress(at), rangeOf(page))),
    create: async (body, options) => written(await store.create(checkedAddress(at), body, idOf(options))),
    replace: async (id, body) => written(await store.replace(at, checkedId(at, id), body)),
    patch: async (id, body) => written(await store.patch(at, checkedId(at, id), body)),
    delete: async (id) => await store.delete(at, checkedId(at, id)),
    owned: (id, relation) =>
      collection(store, { path: ownedPath(at.path, relation as string), owners: [...at.owners, id] }),
  }
}

function rangeOf(page: Page = {}) {
  checkOptions('list', page, ['limit', 'offset'])
  const { limit = DEFAULT_LIMITS.defaultPage, offset = 0 } = page
  if (Number.isSafeInteger(limit) && limit >= 1 && Number.isSafeInteger(offset) && offset >= 0) return { limit, offset }
  throw new CrudError(invalid([{ pointer: '', message: 'limit is an integer from 1, offset an integer from 0' }]))
}

function idOf(options: CreateOptions = {}): Id | undefined {
  checkOptions('create', options, ['id'])
  return options.id
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
