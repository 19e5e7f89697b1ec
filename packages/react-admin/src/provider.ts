import {
  createRecords,
  type DataClient,
  type FormRefusal,
  inputsOf,
  type ListedPage,
  type RecordListQuery,
  type RecordMeta,
  type RefusalTexts,
  refusalOf,
} from '@fastify-crud/client/internal'
import type { DataProvider, GetListParams, GetListResult, Identifier, RaRecord } from 'ra-core'
import { filterOf } from './filters.ts'

export interface ReactAdminOptions {
  /** Sentences in an application's own words, or keys of its translations. */
  readonly messages?: RefusalTexts
}

/** What react-admin makes of a refusal: a notification, and messages at the inputs of a form. */
export class ReactAdminError extends Error {
  override readonly name = 'ReactAdminError'
  readonly status: number
  /** The service's code, such as `CRUD_ERR_PRECONDITION`. */
  readonly code: string
  readonly body: { readonly errors?: Readonly<Record<string, unknown>> }

  constructor({ message, status, code, inputs, others }: FormRefusal, cause: unknown) {
    super(message, { cause })
    this.status = status
    this.code = code
    // The notification of a form with messages: without it, react-admin asks the user to look at the inputs.
    const root = others.length > 0 ? { root: { serverError: message } } : {}
    this.body = Object.keys(inputs).length > 0 ? { errors: { ...inputs, ...root } } : {}
  }
}

/** An action of the application, of a record or of the list. */
export interface ActParams {
  readonly action: string
  readonly id?: Identifier
  /** The record as it was read: the action is refused if somebody else has changed it. */
  readonly record?: RaRecord
  readonly data?: unknown
  readonly query?: object
  readonly meta?: RecordMeta
}

export interface TrashParams {
  readonly id: Identifier
  readonly previousData?: RaRecord
  readonly meta?: RecordMeta
}

/** A data provider with methods for what only this kind of service has. `useDataProvider` finds them. */
export interface ReactAdminProvider extends DataProvider {
  /** Carries out an action. */
  act(resource: string, params: ActParams): Promise<{ data: unknown }>
  /** Reads groups: `{ by: ['publisherId'], values: ['count()'] }`. */
  group(resource: string, query: object, meta?: RecordMeta): Promise<{ data: unknown }>
  /** Brings back a deleted record. */
  restore(resource: string, params: TrashParams): Promise<{ data: RaRecord }>
  /** Removes a deleted record for good. */
  purge(resource: string, params: TrashParams): Promise<{ data: RaRecord }>
}

/**
 * A data provider of react-admin over a client of the service.
 *
 * An update sends what the form has changed, with the ETag of the record as it was read: what others have changed since
 * is never undone, and the user is told.
 *
 * @example
 * const dataProvider = reactAdminProvider(createClient<typeof resources>({ url: '/api' }))
 */
export function reactAdminProvider(api: DataClient, { messages = {} }: ReactAdminOptions = {}): ReactAdminProvider {
  const records = createRecords(api, (error, form, values) => {
    const refusal = refusalOf(error, messages, form, values && inputsOf(values))
    return refusal === undefined ? error : new ReactAdminError(refusal, error)
  })

  const queryOf = async (resource: string, { pagination, sort, filter }: GetListParams): Promise<RecordListQuery> => {
    const { page, perPage } = pagination ?? { page: 1, perPage: 25 }
    const { conditions, search } = filterOf(await records.model(), resource, filter)
    const key = sort?.order === 'DESC' ? `-${sort.field}` : (sort?.field ?? '')
    return {
      conditions,
      search,
      sort: key === '' || key === '-' ? [] : [key],
      offset: (page - 1) * perPage,
      limit: perPage,
    }
  }

  return {
    supportAbortSignal: true,

    async getList(resource, params) {
      const page = await records.list(resource, await queryOf(resource, params), asking(params))
      return listResult(page, params)
    },
    async getManyReference(resource, params) {
      const { target, id } = params
      const query = await queryOf(resource, params)
      return listResult(await records.listOf(resource, target, id, query, asking(params)), params)
    },
    async getOne(resource, params) {
      return { data: asRecord(await records.one(resource, params.id, asking(params))) }
    },
    async getMany(resource, params) {
      const rows = await records.many(resource, params.ids, asking(params))
      return { data: rows.map((row) => asRecord(row)) }
    },
    async create(resource, { data, meta }) {
      return { data: asRecord(await records.create(resource, data, meta)) }
    },
    async update(resource, { id, data, previousData, meta }) {
      return { data: asRecord(await records.update(resource, id, data, previousData, meta)) }
    },
    async updateMany(resource, { ids, data, meta }) {
      await records.updateMany(resource, ids, data, meta)
      return { data: ids }
    },
    async delete(resource, { id, previousData, meta }) {
      await records.delete(resource, id, previousData, meta)
      return { data: asRecord(previousData ?? { id }) }
    },
    async deleteMany(resource, { ids, meta }) {
      await records.deleteMany(resource, ids, meta)
      return { data: ids }
    },

    async act(resource, { action: name, id, record, data: body, query, meta }) {
      const target = record?.$etag === undefined ? (id ?? record?.id) : record
      const call = { name, target, body, ...(query !== undefined && { query }) }
      return { data: await records.act(resource, call, meta) }
    },
    async group(resource, query, meta) {
      return { data: await records.group(resource, query, meta) }
    },
    async restore(resource, { id, previousData, meta }) {
      return { data: asRecord(await records.restore(resource, id, previousData, meta)) }
    },
    async purge(resource, { id, previousData, meta }) {
      await records.delete(resource, id, previousData, { ...meta, deleted: true })
      return { data: asRecord(previousData ?? { id }) }
    },
  }
}

/** Only the caller of a provider knows the type of its records. */
// biome-ignore lint/suspicious/noExplicitAny: see above
function asRecord(values: object): any {
  return values
}

function asking({ meta, signal }: { readonly meta?: RecordMeta; readonly signal?: AbortSignal }) {
  return { ...meta, signal }
}

/** Where records are not counted to the last one, pages only know whether there is another. */
function listResult({ rows, count, isAtLeast, hasNext }: ListedPage, { pagination }: GetListParams): GetListResult {
  if (count !== undefined && !isAtLeast) return { data: rows.map(asRecord), total: count }
  return { data: rows.map(asRecord), pageInfo: { hasNextPage: hasNext, hasPreviousPage: (pagination?.page ?? 1) > 1 } }
}
