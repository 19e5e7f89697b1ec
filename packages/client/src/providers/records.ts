import type { AnyCollection } from '../collection.ts'
import { ConflictError, ServiceError } from '../service-error.ts'
import { resourceNamed, type ServiceModel } from '../service-model.ts'
import type { FormValues } from './array-places.ts'
import { condition, type FieldCondition } from './field-conditions.ts'
import { changesOf, type FormBody, formRecord, needsBase, newBody } from './form-body.ts'
import {
  collectionOf,
  type DataClient,
  type OwnerAddress,
  type RecordId,
  type RecordMeta,
  referenceOf,
  toId,
} from './record-places.ts'

/** What a list is asked. */
export interface RecordListQuery {
  readonly conditions: readonly FieldCondition[]
  /** Words to search for; left out, with a warning, where the resource has no search. */
  readonly search?: unknown
  readonly sort: readonly string[]
  readonly offset: number
  /** A page may be as long as it likes: what is too long for one request is read by cursors. Undefined: all. */
  readonly limit: number | undefined
}

export interface ListedPage {
  readonly rows: Record<string, unknown>[]
  /** Undefined: it was not counted. */
  readonly count: number | undefined
  /** There are more than that. */
  readonly isAtLeast: boolean
  readonly hasNext: boolean
}

/** An action of the application. */
export interface ActionCall {
  readonly name: string
  /** The record or its id; undefined for an action of the list. */
  readonly target?: unknown
  readonly body?: unknown
  readonly query?: object
}

export interface Asking extends RecordMeta {
  readonly signal?: AbortSignal | undefined
}

/** Lists of ids in one request have at most so many, and at most so many characters: proxies refuse longer URLs. */
const MOST_IDS = 500
const MOST_CHARACTERS = 6_000

export type ServiceRecords = ReturnType<typeof createRecords>

/**
 * The records of a service as data providers ask for them: by the name of a resource, with forms in place of bodies.
 * `failed`: makes the error of a framework of that of the client.
 */
export function createRecords(
  api: DataClient,
  failed: (error: unknown, form?: FormBody, values?: FormValues) => unknown,
) {
  const warned = new Set<string>()

  const modelOf = async (): Promise<ServiceModel> => {
    try {
      return await api.model()
    } catch (error) {
      throw failed(error)
    }
  }

  /** Does something with a collection. */
  const at = async <T>(
    key: string,
    owner: OwnerAddress | undefined,
    run: (collection: AnyCollection, model: ServiceModel) => Promise<T>,
  ): Promise<T> => {
    try {
      const model = await api.model()
      return await run(collectionOf(api, model, key, owner), model)
    } catch (error) {
      throw failed(error)
    }
  }

  const write = async (form: FormBody, values: FormValues, send: () => Promise<unknown>): Promise<FormValues> => {
    try {
      return (await send()) as FormValues
    } catch (error) {
      throw failed(error, form, values)
    }
  }

  const searchOf = (model: ServiceModel, key: string, search: unknown): object => {
    if (search === undefined || search === null || String(search).trim() === '') return {}
    if (resourceNamed(model, key).search !== undefined) return { search: String(search) }
    // biome-ignore lint/suspicious/noConsole: for the developer, who sees a search that finds everything
    if (!warned.has(key)) console.warn(`'${key}' has no search in its descriptor: what is searched for is ignored`)
    warned.add(key)
    return {}
  }

  const pageOf = async (
    list: AnyCollection['list'],
    model: ServiceModel,
    key: string,
    { conditions, search, sort, offset, limit = Number.POSITIVE_INFINITY }: RecordListQuery,
    { count, ...meta }: Asking,
  ): Promise<ListedPage> => {
    const [first, ...more] = conditions
    const query = {
      ...readOptions(meta),
      ...searchOf(model, key, search),
      ...(first !== undefined && { filter: more.length === 0 ? first : { and: conditions } }),
      ...(sort.length > 0 && { sort }),
    }
    const { maxPage } = model.limits
    const begin = { ...(count !== undefined && { count }), ...(offset > 0 && { offset }) }
    const page = await list({ ...query, ...begin, limit: Math.min(limit, maxPage) })
    const rows = [...page.rows]
    let { next } = page
    while (next !== undefined && rows.length < limit) {
      const following = await list({ ...query, after: next, limit: Math.min(limit - rows.length, maxPage) })
      rows.push(...following.rows)
      next = following.next
    }
    const shown = rows.map((row) => formRecord(model, key, row))
    return { rows: shown, count: page.count, isAtLeast: page.countIs !== undefined, hasNext: next !== undefined }
  }

  const list = (key: string, query: RecordListQuery, meta: Asking = {}): Promise<ListedPage> =>
    at(key, meta.owner, (collection, model) => {
      const { deleted } = collection
      return pageOf(
        meta.deleted ? (options: object) => deleted.list(options) : collection.list,
        model,
        key,
        query,
        meta,
      )
    })

  const records = {
    list,

    model: modelOf,

    /** The records that belong to one, by a foreign key, a relation, or one of the other record's. */
    async listOf(
      key: string,
      target: string,
      id: RecordId,
      query: RecordListQuery,
      meta: Asking = {},
    ): Promise<ListedPage> {
      const model = await modelOf()
      const reference = referenceOf(model, key, target)
      if (reference.by === 'filter') {
        const ofRecord = condition(model, key, reference.path, 'eq', id)
        return await list(key, { ...query, conditions: [ofRecord, ...query.conditions] }, meta)
      }
      const { resource, relation } = reference
      const owner = { resource, id, relation, ...(meta.owner && { owner: meta.owner }) }
      if (reference.by === 'owner') return await list(key, query, { ...meta, owner })
      return await at(resource, meta.owner, (collection) => {
        const links = collection.linked(toId(model, resource, id), relation)
        return pageOf(links.list, model, key, query, meta)
      })
    },

    one: (key: string, id: RecordId, meta: Asking = {}) =>
      at(key, meta.owner, async (collection, model) => {
        const from = meta.deleted ? collection.deleted : collection
        return formRecord(model, key, await from.find(id, readOptions(meta, false)))
      }),

    /** All of these records that there are, in portions. */
    many: (key: string, ids: readonly RecordId[], meta: Asking = {}) =>
      at(key, meta.owner, async (collection, model) => {
        const most = Math.min(model.limits.maxPage, MOST_IDS)
        const options = { ...readOptions(meta), count: 'none' }
        const pages = portionsOf(ids, most, Number.POSITIVE_INFINITY).map(async (portion) => {
          const filter = { id: { in: portion.map((id) => toId(model, key, id)) } }
          return (await collection.list({ ...options, filter, limit: portion.length })).rows
        })
        return (await Promise.all(pages)).flat().map((row) => formRecord(model, key, row))
      }),

    create: (key: string, values: FormValues, meta: Asking = {}) =>
      at(key, meta.owner, async (collection, model) => {
        const form = newBody(model, key, values)
        const { choosable } = resourceNamed(model, key).id ?? {}
        const chosen = choosable && form.body.id === undefined ? values.id : undefined
        const id = chosen === undefined || chosen === null ? {} : { id: chosen }
        const send = () => collection.create(form.body, { ...writeOptions(meta), ...id })
        return formRecord(model, key, await write(form, values, send))
      }),

    createMany: (key: string, all: readonly FormValues[], meta: Asking = {}) =>
      at(key, meta.owner, async (collection, model) => {
        const bodies = all.map((values) => newBody(model, key, values).body)
        const { rows } = await collection.createMany(bodies, writeOptions(meta))
        return (rows as FormValues[]).map((row) => formRecord(model, key, row))
      }),

    /**
     * Changes what differs between the form and the record as it was read. Refused as a conflict if somebody else has
     * changed it since: `base` or the form says by its `$etag` when that was.
     */
    update: (key: string, id: RecordId, values: FormValues, base: FormValues | undefined, meta: Asking = {}) =>
      at(key, meta.owner, async (collection, model) => {
        const etag = values.$etag ?? base?.$etag
        const read = base ?? (needsBase(model, key, values) ? await baseOf(collection, id, key, etag) : {})
        const form = changesOf(model, key, read, values)
        const target = typeof etag === 'string' ? { id, $etag: etag } : id
        const send = () => collection.patch(target, form.body, writeOptions(meta))
        return formRecord(model, key, await write(form, values, send))
      }),

    /** Gives all these records the same values, or none. */
    updateMany: (key: string, ids: readonly RecordId[], values: FormValues, meta: Asking = {}) =>
      at(key, meta.owner, async (collection, model) => {
        const { body } = changesOf(model, key, {}, values)
        const bodies = ids.map((id) => ({ ...body, id: toId(model, key, id) }))
        const { rows } = await collection.patchMany(bodies, manyOptions(model, key, meta))
        return (rows as FormValues[]).map((row) => formRecord(model, key, row))
      }),

    /** Deletes a record: as it was read, or, without its ETag, whatever its state is. */
    delete: (key: string, id: RecordId, base: FormValues | undefined, meta: Asking = {}) =>
      at(key, meta.owner, async (collection) => {
        const target = typeof base?.$etag === 'string' ? { id, $etag: base.$etag } : id
        await (meta.deleted
          ? collection.purge(target, writeOptions(meta))
          : collection.delete(target, writeOptions(meta)))
      }),

    /** Deletes all of these records, or none. Several hundred ids or very long ones need more than one request. */
    deleteMany: (key: string, ids: readonly RecordId[], meta: Asking = {}) =>
      at(key, meta.owner, async (collection, model) => {
        const maxAffected = model.limits.maxItems ?? MOST_AFFECTED
        for (const portion of portionsOf(ids, MOST_IDS, MOST_CHARACTERS)) {
          const filter = { id: { in: portion.map((id) => toId(model, key, id)) } }
          await collection.deleteMatching({ filter, maxAffected }, manyOptions(model, key, meta))
        }
      }),

    restore: (key: string, id: RecordId, base: FormValues | undefined, meta: Asking = {}) =>
      at(key, meta.owner, async (collection, model) => {
        const target = typeof base?.$etag === 'string' ? { id, $etag: base.$etag } : id
        return formRecord(model, key, await collection.restore(target, writeOptions(meta)))
      }),

    /** One page of groups. */
    group: (key: string, options: object, { headers, signal, owner }: Asking = {}) =>
      at(
        key,
        owner,
        async (collection) =>
          (await collection.group({ ...options, ...writeOptions({ headers, signal } as Asking) })) as unknown,
      ),

    act: (key: string, { name, target, body, query }: ActionCall, meta: Asking = {}) =>
      at(key, meta.owner, async (collection) => {
        const given = target === undefined ? [name] : [target, name]
        return (await collection.act(...given, body, { ...writeOptions(meta), query })) as unknown
      }),
  }
  return records
}

/** What a write may add, change and remove at most, where the service does not say its limit. */
const MOST_AFFECTED = 10_000

/** The record that a form began with. Throws an Error if the form does not say which one, a ConflictError if it has
 * changed. */
async function baseOf(collection: AnyCollection, id: RecordId, key: string, etag: unknown): Promise<FormValues> {
  if (typeof etag !== 'string') {
    const why = 'what it has taken out of arrays cannot be told apart from what others have added'
    throw new Error(
      `an update of '${key}' with arrays or owned records needs the record's $etag among its values: ${why}`,
    )
  }
  const read = () => collection.find(id)
  const record = await read()
  if (record.$etag === etag) return record
  const { status, code } = new ServiceError(412, { code: 'CRUD_ERR_PRECONDITION' })
  throw new ConflictError(status, { code }, { id, $etag: etag }, undefined, read)
}

/** The options of a read. Whole rows of lists have their ETags. */
function readOptions({ fields, include, nested, headers, signal }: Asking, isList = true): object {
  const chosen = Object.entries({ fields, include, nested, headers, signal }).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(chosen), ...(isList && { etags: true }) }
}

function writeOptions({ headers, signal }: Asking): object {
  return { ...(headers !== undefined && { headers }), ...(signal !== undefined && { signal }) }
}

/** Where writes need `If-Match`, many of them have no ETag to send: each is for a record that is there. */
function manyOptions(model: ServiceModel, key: string, meta: Asking): object {
  if (resourceNamed(model, key).ifMatch !== 'required') return writeOptions(meta)
  return writeOptions({ ...meta, headers: { ...meta.headers, 'if-match': '*' } })
}

/** The ids in portions, none with more ids or, written in a URL, more characters. */
function portionsOf(ids: readonly RecordId[], most: number, mostCharacters: number): RecordId[][] {
  const portions: RecordId[][] = []
  let characters = 0
  for (const id of ids) {
    // Quotes and the comma are encoded, too.
    const length = encodeURIComponent(JSON.stringify(id)).length + 3
    characters += length
    const portion = portions.at(-1)
    if (portion !== undefined && portion.length < most && characters <= mostCharacters) portion.push(id)
    else {
      portions.push([id])
      characters = length
    }
  }
  return portions
}
