import { type AnyRecord, withEtag, withoutEtags, writeTarget } from './etags.ts'
import { actionQuery, isLong, type PageQuery, queryOfPage, queryString } from './query-string.ts'
import { ConflictError, ServiceError } from './service-error.ts'
import {
  type ActionModel,
  pathAtTop,
  type RelationModel,
  type ResourceModel,
  resourceNamed,
  type ServiceModel,
} from './service-model.ts'
import type { RequestOptions, ServiceAnswer, ServiceCall, Transport } from './transport.ts'

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

type Id = string | number

interface WriteOptions extends RequestOptions {
  readonly dryRun?: boolean
}

/** Where a write goes, and whether it is sent again. */
interface WriteTerms {
  /** Before the record's id. */
  readonly prefix?: string
  readonly suffix?: string
  readonly repeats?: ServiceCall['repeats']
}

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

  const send = async (
    method: string,
    suffix: string,
    {
      body,
      prefer,
      headers = {},
      repeats,
    }: Partial<ServiceCall> & Pick<ServiceCall, 'repeats'> & { prefer?: Preferences },
    options: WriteOptions = {},
  ): Promise<ServiceAnswer> => {
    const { model, place } = await located()
    const preferred: Preferences = { ...(options.dryRun && { tx: 'rollback' }), ...prefer }
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

  /** A write of one record that the target names, with `If-Match` where that is a record. */
  const writeOne = async (
    method: string,
    target: unknown,
    body: unknown,
    options: WriteOptions | undefined,
    {
      prefix = '',
      suffix = '',
      repeats = method === 'PUT' || method === 'DELETE' ? 'never' : 'by key',
    }: WriteTerms = {},
  ): Promise<ServiceAnswer> => {
    const { id, headers, base } = writeTarget(target)
    try {
      return await send(method, `${prefix}/${segment(id)}${suffix}`, { body, headers, repeats }, options)
    } catch (error) {
      if (base === undefined || !(error instanceof ServiceError) || error.status !== 412) throw error
      const { status, code, message: detail, errors, blockers } = error
      throw new ConflictError(status, { code, detail, errors, blockers }, base, body, () =>
        reads(prefix, undefined).find(id),
      )
    }
  }

  const reads = (prefix: string, longer: string | undefined) => ({
    async find(id: Id, options: PageQuery & RequestOptions = {}) {
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

  const many = async (method: string, bodies: readonly unknown[], query: string, options: WriteOptions | undefined) =>
    (await send(method, query, { body: bodies, repeats: method === 'PUT' ? 'never' : 'by key' }, options)).body

  const matching = async (
    method: string,
    { filter, maxAffected }: { filter: unknown; maxAffected: number },
    body: unknown,
    options: WriteOptions | undefined,
  ) => {
    const prefer = { 'max-affected': maxAffected }
    const repeats = method === 'PATCH' ? 'by key' : 'never'
    return (await send(method, queryString({ filter }), { body, prefer, repeats }, options)).body
  }

  const methods = {
    ...reads('', '/$list'),
    group: (options: PageQuery & RequestOptions = {}) => page('/$group', '/$group', options),
    async create(body: unknown, { id, ...options }: WriteOptions & { readonly id?: Id } = {}) {
      const suffix = id === undefined ? '' : `/${segment(id)}`
      return recordIn(await send('POST', suffix, { body, repeats: 'by key' }, options), options)
    },
    replace: async (target: unknown, body: unknown, options?: WriteOptions) =>
      recordIn(await writeOne('PUT', target, body, options), options),
    patch: async (target: unknown, body: unknown, options?: WriteOptions) =>
      recordIn(await writeOne('PATCH', target, body, options), options),
    async delete(target: unknown, options?: WriteOptions) {
      await writeOne('DELETE', target, undefined, options)
    },
    createMany: (bodies: readonly unknown[], options?: WriteOptions) => many('POST', bodies, '', options),
    replaceMany: (bodies: readonly unknown[], options?: WriteOptions) => many('PUT', bodies, '', options),
    patchMany: (bodies: readonly unknown[], options?: WriteOptions) => many('PATCH', bodies, '', options),
    async upsert(body: unknown, { by, ...options }: WriteOptions & { readonly by: readonly string[] }) {
      const answer = await send('PUT', queryString({ by }), { body, repeats: 'never' }, options)
      return { record: recordIn(answer, options), isNew: answer.status === 201 }
    },
    upsertMany: (bodies: readonly unknown[], { by, ...options }: WriteOptions & { readonly by: readonly string[] }) =>
      many('PUT', bodies, queryString({ by }), options),
    patchMatching: (
      which: { readonly filter: unknown; readonly maxAffected: number },
      body: unknown,
      options?: WriteOptions,
    ) => matching('PATCH', which, body, options),
    deleteMatching: (which: { readonly filter: unknown; readonly maxAffected: number }, options?: WriteOptions) =>
      matching('DELETE', which, undefined, options),
    owned: (id: Id, relation: string) => collectionAt(transport, ownedBy(locate, id, relation)),
    linked: (id: Id, relation: string) => linkedRecords(id, relation),
    async act(...given: readonly unknown[]) {
      const { place } = await located()
      const { target, name, action, body, options = {} } = namedAction(place, given)
      const { query, ...others } = options
      const suffix = `/$act/${segment(name)}${actionQuery(query)}`
      const repeats = action.method === 'GET' ? 'always' : 'by key'
      const answer =
        target === undefined
          ? await send(action.method, suffix, { body, repeats }, others)
          : await writeOne(action.method, target, body, others, { suffix, repeats })
      return action.answer === undefined
        ? withEtag(answer.body, answer.body === undefined ? null : answer.etag)
        : answer.body
    },
    restore: async (target: unknown, options?: WriteOptions) =>
      recordIn(await writeOne('POST', target, undefined, options, { suffix: '/$restore' }), options),
    async purge(target: unknown, options?: WriteOptions) {
      await writeOne('DELETE', target, undefined, options, { prefix: '/$deleted' })
    },
    deleted: reads('/$deleted', undefined),
  }

  function linkedRecords(id: Id, relation: string): AnyCollection {
    const at = (linkedId?: Id) =>
      `/${segment(id)}/${segment(relation)}${linkedId === undefined ? '' : `/${segment(linkedId)}`}`
    const checkedAt = async (linkedId?: Id) => {
      const { place } = await located()
      relationNamed(place, relation, ['needs.many', 'knows.many'])
      return at(linkedId)
    }
    return {
      async list(options: PageQuery & RequestOptions = {}) {
        return await page(await checkedAt(), undefined, options)
      },
      async add(linkedId: Id, { before, ...options }: WriteOptions & { readonly before?: Id | null } = {}) {
        const body = before === undefined ? undefined : { $before: before }
        await send('PUT', await checkedAt(linkedId), { body, repeats: 'never' }, options)
      },
      async remove(linkedId: Id, options?: WriteOptions) {
        await send('DELETE', await checkedAt(linkedId), { repeats: 'never' }, options)
      },
    }
  }

  return methods
}

/** What the client would like of a write or a list, by the names of the header `Prefer`. */
type Preferences = Readonly<Record<string, unknown>>

function requestOptions({ signal, retries }: RequestOptions): RequestOptions {
  return { signal, ...(retries !== undefined && { retries }) }
}

/** The record that a write answers. Rejects where there is none although the write is done, so that nobody goes on with
 * nothing. */
function recordIn({ status, body, etag }: ServiceAnswer, { dryRun }: WriteOptions = {}): AnyRecord {
  if (body !== undefined) return withEtag(body, dryRun ? null : etag)
  const detail = 'the write is done, but its record is too large for an answer, or hidden from the caller'
  throw new ServiceError(status, { code: 'CRUD_ERR_TOO_LARGE', detail })
}

function segment(part: Id): string {
  return encodeURIComponent(part)
}

function ownedBy(locate: Locate, id: Id, name: string): Locate {
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

interface NamedAction {
  /** The record or its id; undefined for an action of the collection. */
  readonly target: unknown
  readonly name: string
  readonly action: ActionModel
  readonly body: unknown
  readonly options: (WriteOptions & { readonly query?: object }) | undefined
}

/** What the arguments of `act` say: of a record `(id, name, body, options)`, of the collection `(name, body, options)`.
 * Throws a TypeError if there is no such action. */
function namedAction({ key, resource: { actions = {} } }: CollectionPlace, given: readonly unknown[]): NamedAction {
  const named = (name: unknown, on: ActionModel['on']) => {
    const action = typeof name === 'string' && Object.hasOwn(actions, name) ? actions[name] : undefined
    return action?.on === on ? action : undefined
  }
  const ofRecord = named(given[1], 'record')
  if (ofRecord !== undefined) {
    const [target, name, body, options] = given as [unknown, string, unknown, NamedAction['options']]
    return { target, name, action: ofRecord, body, options }
  }
  const ofList = named(given[0], 'list')
  if (ofList === undefined)
    throw new TypeError(`'${key}' has no action ${given.map(String).join(', ')} for this caller`)
  const [name, body, options] = given as [string, unknown, NamedAction['options']]
  return { target: undefined, name, action: ofList, body, options }
}
