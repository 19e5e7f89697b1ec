import type { HistoryOptions } from '@fastify-crud/core/types'
import { withEtag, withoutEtags } from './etags.ts'
import { historyQuery, isLong, type PageQuery, queryOfPage, queryString } from './query-string.ts'
import {
  type ActionModel,
  pathAtTop,
  type RelationModel,
  type ResourceModel,
  resourceNamed,
  type ServiceModel,
} from './service-model.ts'
import type { RequestOptions, Transport } from './transport.ts'
import {
  type CallOptions,
  type ClientId,
  carryOut,
  type NamedAction,
  nothing,
  type Perform,
  performing,
  previewing,
  type Send,
  segment,
  writeMethods,
} from './writes.ts'

/** Where the records of a collection are. */
export interface CollectionPlace {
  readonly key: string
  readonly resource: ResourceModel
  /** The path of the collection behind the prefix. */
  readonly path: string
  /** Its records are owned by records of their own kind: what they own is reached by the path at the top. */
  readonly isOfTree?: boolean
  /** Its records have owners that the path does not name. */
  readonly isTopLevel?: boolean
}

/** Finds a place in the model. Throws a TypeError for what the model does not have. */
export type Locate = (model: ServiceModel) => CollectionPlace

/** The untyped collection: what it takes and resolves to, only the types of the client know. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type AnyCollection = Readonly<Record<string, any>>

/** The place of a resource's records at the top. */
export function atTop(key: string): Locate {
  return (model) => {
    const resource = resourceNamed(model, key)
    return { key, resource, path: pathAtTop(resource, key), isTopLevel: resource.topLevel === true }
  }
}

export function collectionAt(transport: Transport, locate: Locate): AnyCollection {
  const located = async () => {
    const model = await transport.model()
    return { model, place: locate(model) }
  }

  const send: Send = async (method, suffix, { body, prefer, headers, repeats }, options = {}) => {
    const { model, place } = await located()
    const preferred: NonNullable<typeof prefer> = { ...(options.dryRun && { tx: 'rollback' }), ...prefer }
    const names = Object.entries(preferred).map(([name, value]) => (value === true ? name : `${name}=${value}`))
    return await transport.send({
      ...requestOptions(options),
      headers: { ...options.headers, ...headers, ...(names.length > 0 && { prefer: names.join(', ') }) },
      method,
      path: place.path + suffix,
      ...(body !== undefined && { body: withoutEtags(body, place.key, model) }),
      repeats,
    })
  }

  /** A page: by GET, or where the query is too long for a URL by POST to `longer`. */
  const page = async (suffix: string, longer: string | undefined, query: PageQuery & RequestOptions, prefer = {}) => {
    const text = queryString(query)
    const isBody = longer !== undefined && isLong(text)
    const terms = { prefer, repeats: 'always' } as const
    const { body } = isBody
      ? await send('POST', longer, { ...terms, body: queryOfPage(query) }, query)
      : await send('GET', suffix + text, terms, query)
    return body
  }

  const reads = (prefix: string, longer: string | undefined) => ({
    async find(id: ClientId, options: PageQuery & RequestOptions = {}) {
      const text = queryString(options)
      const { body, etag } = await send('GET', `${prefix}/${segment(id)}${text}`, { repeats: 'always' }, options)
      return text === '' ? withEtag(body, etag) : body
    },
    async list({ etags, ...options }: PageQuery & RequestOptions = {}) {
      return await page(prefix, longer, options, etags ? { etags: true } : {})
    },
    async *all({ etags, ...options }: PageQuery & RequestOptions = {}) {
      const { limits } = await transport.model()
      const query = { limit: limits.maxPage, ...options, count: 'none' }
      let after: string | undefined
      do {
        const { rows, next } = await page(prefix, longer, { ...query, after }, etags ? { etags: true } : {})
        yield* rows
        after = next
      } while (after !== undefined)
    },
  })

  const perform = performing(send)
  const preview = previewing(perform)
  const read = (prefix: string, id: ClientId) => reads(prefix, undefined).find(id)

  /** The methods that write in one way: those that do it, and those that show it first. */
  const writesBy = (way: Perform) => {
    const { methods, writeOne } = writeMethods(way, read)
    const actBy = async (...given: readonly unknown[]) =>
      await carryOut(way, writeOne, namedAction((await located()).place, given))
    return { ...methods, act: actBy }
  }

  const methods = {
    ...reads('', '/$list'),
    group: (options: PageQuery & RequestOptions = {}) => page('/$group', '/$group', options),
    ...writesBy(perform),
    preview: writesBy(preview),
    owned: (id: ClientId, relation: string) => collectionAt(transport, ownedBy(locate, id, relation)),
    linked: (id: ClientId, relation: string) => linkedRecords(id, relation),
    deleted: reads('/$deleted', undefined),
    async history(id: ClientId, options: HistoryOptions & RequestOptions = {}) {
      const suffix = `/${segment(id)}/$history${historyQuery(options)}`
      return (await send('GET', suffix, { repeats: 'always' }, options)).body
    },
    async historyEntry(id: ClientId, write: string, options: RequestOptions = {}) {
      return (await send('GET', `/${segment(id)}/$history/${segment(write)}`, { repeats: 'always' }, options)).body
    },
  }

  function linkedRecords(id: ClientId, relation: string): AnyCollection {
    const at = (linkedId?: ClientId) =>
      `/${segment(id)}/${segment(relation)}${linkedId === undefined ? '' : `/${segment(linkedId)}`}`
    const checkedAt = async (linkedId?: ClientId) => {
      const { place } = await located()
      relationNamed(place, relation, ['needs.many', 'knows.many'])
      return at(linkedId)
    }
    const changesBy = (way: Perform) => ({
      async add(linkedId: ClientId, { before, ...options }: CallOptions & { readonly before?: ClientId | null } = {}) {
        const terms = { ...(before !== undefined && { body: { $before: before } }), repeats: 'never' } as const
        return await way({ method: 'PUT', suffix: await checkedAt(linkedId), terms, options, finish: nothing })
      },
      async remove(linkedId: ClientId, options?: CallOptions) {
        const suffix = await checkedAt(linkedId)
        return await way({ method: 'DELETE', suffix, terms: { repeats: 'never' }, options, finish: nothing })
      },
    })
    return {
      async list(options: PageQuery & RequestOptions = {}) {
        return await page(await checkedAt(), undefined, options)
      },
      ...changesBy(perform),
      preview: changesBy(preview),
    }
  }

  return methods
}

function requestOptions({ signal, retries }: RequestOptions): RequestOptions {
  return { signal, ...(retries !== undefined && { retries }) }
}

function ownedBy(locate: Locate, id: ClientId, name: string): Locate {
  return (model) => {
    const owner = locate(model)
    if (owner.isTopLevel) throw new TypeError(`what '${owner.key}' owns is reached through its own owner`)
    const { target: key, path } = relationNamed(owner, name, ['owns.one', 'owns.many'])
    const above = owner.isOfTree ? (owner.resource.paths.find((one) => !one.includes('{')) ?? owner.path) : owner.path
    const isOfTree = key === owner.key
    return { key, resource: resourceNamed(model, key), path: `${above}/${segment(id)}/${path}`, isOfTree }
  }
}

/** The relation of that name and of one of the kinds, if there is a path to it. Throws a TypeError else. */
function relationNamed({ key, resource }: CollectionPlace, name: string, kinds: readonly string[]): RelationModel {
  const relation = Object.hasOwn(resource.relations, name) ? resource.relations[name] : undefined
  if (relation?.path !== undefined && kinds.includes(relation.kind)) return relation
  throw new TypeError(`'${key}' has no relation '${name}' of ${kinds.join(' or ')} with a path of its own`)
}

/** What the arguments of `act` say: of a record `(id, name, body, options)`, of the collection `(name, body, options)`.
 * Throws a TypeError if there is no such action. */
function namedAction({ key, resource: { actions = {} } }: CollectionPlace, given: readonly unknown[]): NamedAction {
  const named = (name: unknown, on: ActionModel['on']) => {
    const action = typeof name === 'string' && Object.hasOwn(actions, name) ? actions[name] : undefined
    return action?.on === on ? action : undefined
  }
  const ofRecord = named(given[1], 'record')
  const action = ofRecord ?? named(given[0], 'list')
  if (action === undefined)
    throw new TypeError(`'${key}' has no action ${given.map(String).join(', ')} for this caller`)
  const [target, name, body, options] = (ofRecord ? given : [undefined, ...given]) as [
    unknown,
    string,
    unknown,
    NamedAction['options'],
  ]
  return { target, name, method: action.method, hasAnswer: action.answer !== undefined, body, options }
}
