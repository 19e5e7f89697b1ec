import type { OpenStores } from '../actions/act.ts'
import type { CheckedAction, CheckedActions } from '../actions/action.ts'
import type { GroupRequest } from '../asking/groups/group-query.ts'
import type { ListRequest } from '../asking/list-query.ts'
import type { RecordRequest } from '../asking/record-query.ts'
import type { ReturnsEffects } from '../effects-form.ts'
import {
  CrudError,
  invalid,
  manyWrittenButTooLarge,
  type Problem,
  shortened,
  writtenButHidden,
  writtenButTooLarge,
} from '../errors.ts'
import { callerIn } from '../model/callers.ts'
import { didYouMean } from '../model/check/names.ts'
import type { Address } from '../model/collection-path.ts'
import { deletedPath, linkedPath, linkNamed, ownedPath } from '../model/collection-path.ts'
import { DEFAULT_LIMITS } from '../model/descriptors/default-limits.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { wholeId } from '../model/ids/short-id.ts'
import type { Link } from '../model/model.ts'
import { type Operation, serves } from '../model/operations.ts'
import { keepsHistory } from '../model/resource-tree.ts'
import type { LinkChange } from '../planning/body/draft.ts'
import { readPlaceOfLink } from '../planning/body/patch-marks.ts'
import type { Matching } from './bulk/bulk-records.ts'
import type { WrittenMany } from './bulk/bulk-store.ts'
import { checkedAddress, checkedId, checkedTarget } from './checks/check-ids.ts'
import type { JsonStore, WrittenAway, WrittenRecord } from './json-store.ts'
import type { ActOptions } from './types/act-methods.ts'
import type { DeletedRecords } from './types/deleted-records.ts'
import type { HistoryMethods } from './types/history-methods.ts'
import type { AtMoment } from './types/read-options.ts'
import type { Collection } from './types/store-types.ts'
import type {
  Asked,
  ByKey,
  CreateOptions,
  DryRun,
  LinkPlace,
  MatchOptions,
  WriteOptions,
} from './types/write-options.ts'

/** The actions of a store, and what they are given. */
export interface ActionContext {
  readonly actions: CheckedActions
  readonly open: OpenStores
}

/** The untyped collection: its types are those of the descriptors, which only the types of the store know. */
export function collection(store: JsonStore, asked: Asked, at: Address, acting?: ActionContext): Collection {
  const parse = (json: string) => JSON.parse(json)
  const written = ({ id, json, isOutOfSight, plan, effects }: WrittenRecord) => {
    if (effects !== undefined) return effects.shown
    if (plan !== undefined) return { record: json === undefined ? undefined : parse(json), plan }
    if (json !== undefined) return parse(json)
    const { key } = at.path.resource
    throw new CrudError(isOutOfSight ? writtenButHidden(key, id) : writtenButTooLarge(key, id))
  }
  const away = ({ plan, effects }: WrittenAway) => (effects?.shown ?? (plan && { plan })) as never
  const many = ({ json, plan, effects }: WrittenMany) => {
    if (effects !== undefined) return effects.shown
    if (json === undefined) throw new CrudError(manyWrittenButTooLarge())
    return plan === undefined ? parse(json) : { ...parse(json), plan }
  }
  const idAt = (id: Id) => wholeIdAt(at, checkedId(at, id))
  const termsOf: TermsOf = (method, options = {}, others = []) => {
    checkOptions(method, options, ['dryRun', 'returns', ...others])
    const { dryRun, returns } = options
    if (returns !== undefined && returns !== 'effects') throw new CrudError(invalid([NO_RETURNS]))
    if (dryRun !== true && returns === undefined) return asked
    const effects = returns === undefined ? undefined : { areAnswer: true }
    return { ...asked, rollsBack: dryRun === true, effects, readsBack: returns === undefined }
  }
  const reads = (from: Address): Pick<Collection, 'find' | 'list'> => ({
    find: async (id: Id, options?: RecordRequest) =>
      parse(await store.find(from, idAt(id), recordRequest(options), asked)),
    list: async (options?: Partial<ListRequest>) =>
      parse(await store.list(checkedAddress(from), listRequest(options), asked)),
  })
  const methods: Collection = {
    ...reads(at),
    group: async (options?: object) =>
      parse(await store.group(checkedAddress(at), groupRequest(options), asked)) as never,
    create: async (body: unknown, options?: CreateOptions & AnyWriteOptions) =>
      written(
        await store.create(
          checkedAddress(at),
          body,
          options?.id === undefined ? undefined : wholeIdAt(at, options.id),
          termsOf('create', options, ['id']),
        ),
      ),
    replace: async (id: Id, body: unknown, options?: AnyWriteOptions) =>
      written(await store.replace(at, idAt(id), body, termsOf('replace', options))),
    patch: async (id: Id, body: unknown, options?: AnyWriteOptions) =>
      written(await store.patch(at, idAt(id), body, termsOf('patch', options))),
    delete: async (id: Id, options?: AnyWriteOptions) =>
      away(await store.delete(at, idAt(id), termsOf('delete', options))),
    createMany: async (bodies: readonly unknown[], options?: AnyWriteOptions) =>
      many(await store.createMany(checkedAddress(at), checkedArray(bodies), termsOf('createMany', options))),
    replaceMany: async (bodies: readonly unknown[], options?: AnyWriteOptions) =>
      many(await store.replaceMany(checkedAddress(at), checkedArray(bodies), termsOf('replaceMany', options))),
    patchMany: async (bodies: readonly unknown[], options?: AnyWriteOptions) =>
      many(await store.patchMany(checkedAddress(at), checkedArray(bodies), termsOf('patchMany', options))),
    upsert: async (body: unknown, { by, ...options }: ByKey & AnyWriteOptions) => {
      const { isNew, ...one } = await store.upsert(checkedAddress(at), body, checkedBy(by), termsOf('upsert', options))
      if (one.effects !== undefined) return one.effects.shown
      return { ...(one.plan === undefined ? { record: written(one) } : written(one)), isNew }
    },
    upsertMany: async (bodies: readonly unknown[], { by, ...options }: ByKey & AnyWriteOptions) =>
      many(
        await store.upsertMany(checkedAddress(at), checkedArray(bodies), checkedBy(by), termsOf('upsertMany', options)),
      ),
    patchMatching: async ({ maxAffected, ...matching }: MatchOptions, body: unknown, options?: AnyWriteOptions) => {
      const terms = { ...termsOf('patchMatching', options), maxAffected }
      return many(await store.patchMatching(checkedAddress(at), checkedMatching(matching), body, terms))
    },
    deleteMatching: async ({ maxAffected, ...matching }: MatchOptions, options?: AnyWriteOptions) => {
      const terms = { ...termsOf('deleteMatching', options), maxAffected }
      return many(await store.deleteMatching(checkedAddress(at), checkedMatching(matching), terms))
    },
    owned: (id, relation) =>
      collection(store, asked, { path: ownedPath(at.path, relation as string), owners: [...at.owners, id] }, acting),
    linked: (id, relation) =>
      linkedRecords(store, termsOf, at, id, relation as string, (to) => collection(store, asked, to).list) as never,
  }
  const { softDelete, trash } = at.path.resource
  const ofDeleted: DeletedRecords = {
    restore: (async (id: Id, options?: AnyWriteOptions) =>
      written(await store.restore(at, idAt(id), termsOf('restore', options)))) as DeletedRecords['restore'],
    purge: (async (id: Id, options?: AnyWriteOptions) => {
      if (callerIn(asked.requestContext) !== undefined && trash?.purges !== true)
        throw new TypeError('purge: only the application itself removes records for good: use asSystem()')
      return away(await store.purge(at, idAt(id), termsOf('purge', options)))
    }) as DeletedRecords['purge'],
    ...(trash && { deleted: reads({ ...at, path: deletedPath(at.path) }) }),
  }
  const ofHistory: HistoryMethods & Pick<Collection, 'find'> = {
    find: async (id: Id, options?: Partial<AtMoment> & RecordRequest) => {
      const { at: moment, ...others } = options ?? {}
      if (moment === undefined) return await methods.find(id, options && (others as never))
      return parse(await store.findAt(at, idAt(id), { at: moment, ...recordRequest(others) }, asked))
    },
    history: async (id, options) => parse(await store.history(at, idAt(id as Id), options, asked)),
    historyEntry: async (id, write) => parse(await store.historyEntry(at, idAt(id as Id), write, asked)),
    undo: (async (id: Id, write: string, options?: AnyWriteOptions) =>
      answered(at, await store.undo(at, idAt(id), write, termsOf('undo', options)))) as HistoryMethods['undo'],
  }
  const hasHistory = keepsHistory(at.path.resource)
  const actions = acting?.actions.get(at.path.resource.key)
  const act = async (...given: readonly unknown[]) => {
    const { id, name, body, options } = namedAction(at, actions, given)
    const { query, ...terms } = (options ?? {}) as AnyWriteOptions & Pick<ActOptions, 'query'>
    const action = actions?.get(name) as CheckedAction
    const { open } = acting as ActionContext
    const one = id === undefined ? checkedAddress(at) && id : idAt(id)
    return answered(at, await store.act(at, one, { action, body, query, open }, termsOf('act', terms)))
  }
  const ofActions = actions && { act }
  const isServed = (name: string) => serves(at.path.resource, METHODS[name as keyof Collection])
  // What records own is reached through their own owners.
  const isReached = (name: string) => isServed(name) && !(name === 'owned' && at.path.isTopLevel)
  const served = Object.entries(methods).filter(([name]) => isReached(name))
  const reached = served.length === Object.keys(METHODS).length ? methods : (Object.fromEntries(served) as never)
  if (softDelete === undefined && actions === undefined && !hasHistory) return reached
  return { ...reached, ...(softDelete && ofDeleted), ...(hasHistory && ofHistory), ...ofActions }
}

/** What the arguments of `act` say: of a record `(id, name, body, options)`, of the collection `(name, body, options)`.
 * Throws a TypeError if there is no such action. */
function namedAction(
  { path: { resource } }: Address,
  actions: ActionsByName | undefined,
  given: readonly unknown[],
): NamedAction {
  const [first, second] = given.map(String)
  if (typeof given[1] === 'string' && actions?.get(given[1])?.isOfRecord === true) {
    return { id: given[0] as Id, name: given[1], body: given[2], options: given[3] }
  }
  if (actions?.get(String(first))?.isOfRecord === false) {
    return { id: undefined, name: String(first), body: given[1], options: given[2] }
  }
  const names = [...(actions ?? [])].map(([name, { isOfRecord }]) =>
    isOfRecord ? `act(id, '${name}')` : `act('${name}')`,
  )
  const words = given.length > 1 ? `act(${first}, ${second})` : `act(${first})`
  throw new TypeError(`${resource.key}: there is no action ${words}; there are ${names.join(', ')}`)
}

type ActionsByName = ReadonlyMap<string, CheckedAction>

interface NamedAction {
  readonly id: Id | undefined
  readonly name: string
  readonly body: unknown
  readonly options: unknown
}

/** Undefined where the action has left no record. */
function answered({ path: { resource } }: Address, { id, json, isOutOfSight, plan, effects }: WrittenRecord): unknown {
  if (effects !== undefined) return effects.shown
  if (plan !== undefined) return { record: json === undefined ? undefined : JSON.parse(json), plan }
  if (json !== undefined) return JSON.parse(json)
  if (isOutOfSight) return undefined
  throw new CrudError(writtenButTooLarge(resource.key, id))
}

/** What each method needs. */
const METHODS: Readonly<Record<keyof Collection, Operation>> = {
  find: 'findOne',
  list: 'list',
  group: 'list',
  create: 'create',
  replace: 'replace',
  patch: 'patch',
  delete: 'delete',
  createMany: 'create',
  replaceMany: 'replace',
  patchMany: 'patch',
  upsert: 'replace',
  upsertMany: 'replace',
  patchMatching: 'patch',
  deleteMatching: 'delete',
  owned: 'findOne',
  // Records with links are written.
  linked: 'patch',
}

/** Below an owner, a program has short ids, as a path has them. */
function wholeIdAt({ path, owners }: Address, id: Id): Id {
  return wholeId(path.resource, id, owners.at(-1))
}

function checkedArray(bodies: unknown): unknown {
  if (Array.isArray(bodies)) return bodies
  throw new CrudError(invalid([{ pointer: '', message: 'must be an array of records', keyword: 'type' }]))
}

function checkedBy(by: unknown): readonly string[] {
  if (Array.isArray(by) && by.every((name) => typeof name === 'string')) return by
  const message = 'by must be an array with the names of a unique key'
  throw new CrudError(invalid([{ parameter: 'by', message, keyword: 'type' }]))
}

function checkedMatching(matching: Omit<MatchOptions, 'maxAffected'>): Matching {
  checkOptions('matching', matching, ['filter'])
  if (matching.filter !== undefined) return matching
  const message = 'filter is required: it says which records are written'
  throw new CrudError(invalid([{ parameter: 'filter', message, keyword: 'required' }]))
}

const CONTENTS = ['fields', 'include', 'nested']

function recordRequest(options: RecordRequest | undefined): RecordRequest | undefined {
  if (options !== undefined) checkOptions('find', options, CONTENTS)
  return options
}

function listRequest(options: Partial<ListRequest> = {}): ListRequest {
  checkOptions('list', options, ['limit', 'offset', 'filter', 'search', 'sort', 'count', 'after', ...CONTENTS])
  return { ...options, limit: checkedLimit(options) }
}

function groupRequest(options: Partial<GroupRequest> = {}): GroupRequest {
  const known = ['by', 'values', 'filter', 'having', 'sort', 'limit', 'offset', 'count', 'timeZone']
  checkOptions('group', options, known)
  return { ...options, values: options.values, limit: checkedLimit(options) }
}

function checkedLimit({ limit = DEFAULT_LIMITS.defaultPage, offset }: Partial<ListRequest>): number {
  const isOffset = offset === undefined || (Number.isSafeInteger(offset) && offset >= 0)
  if (isOffset && Number.isSafeInteger(limit) && limit >= 1) return limit
  throw new CrudError(invalid([isOffset ? NO_LIMIT : NO_OFFSET]))
}

const PAGE_PROBLEM = { message: 'limit is an integer from 1, offset an integer from 0', keyword: 'range' }
const NO_LIMIT = { ...PAGE_PROBLEM, parameter: 'limit', params: { minimum: 1 } }
const NO_OFFSET = { ...PAGE_PROBLEM, parameter: 'offset', params: { minimum: 0 } }

function checkOptions(method: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  throw new CrudError(
    invalid(
      unknown.map((name) => ({
        parameter: shortened(name),
        message: `${method} has no option '${shortened(name)}'${didYouMean(name, known)}`,
        keyword: 'additionalProperties',
        params: { additionalProperty: name },
      })),
    ),
  )
}

function placeOf(link: Link, before: Id | null | undefined): LinkChange['place'] {
  const problems: Problem[] = []
  const place = before === undefined ? undefined : readPlaceOfLink(link, { $before: before }, problems)
  if (problems.length > 0) throw new CrudError(invalid(problems))
  return place
}

/** Reads the options of a write. */
type TermsOf = (method: string, options: AnyWriteOptions | undefined, others?: readonly string[]) => Asked

type AnyWriteOptions = WriteOptions | DryRun | ReturnsEffects

const NO_RETURNS = { parameter: 'returns', message: "returns: is 'effects', or left out", keyword: 'enum' }

/** The untyped methods for the records that one record is linked to. `list`: the one of a collection at their
 * address. */
function linkedRecords(
  store: JsonStore,
  termsOf: TermsOf,
  at: Address,
  id: Id,
  relation: string,
  listAt: (linked: Address) => unknown,
): object {
  const { resource } = at.path
  const link = linkNamed(resource, relation)
  const whole = wholeId(resource, id, at.owners.at(-1))
  const change = async (change: Omit<LinkChange, 'link'>, asked: Asked) => {
    checkedId(at, id)
    const linked = { link, ...change, to: checkedTarget(at, link, change.to) }
    const { plan, effects } = await store.changeLink(at, whole, linked, asked)
    return effects?.shown ?? (plan && { plan })
  }
  const list = listAt({ path: linkedPath(at.path, relation), owners: [...at.owners, whole] })
  return {
    list,
    async add(to: Id, options?: AnyWriteOptions & LinkPlace) {
      const { before, ...others } = options ?? {}
      const asked = termsOf('add', options && others)
      return await change({ to, isRemoved: false, place: placeOf(link, before) }, asked)
    },
    remove: async (to: Id, options?: AnyWriteOptions) =>
      await change({ to, isRemoved: true }, termsOf('remove', options)),
  }
}
