import {
  createRecords,
  type DataClient,
  type FormRefusal,
  inputsOf,
  type RecordListQuery,
  type RecordMeta,
  type RefusalTexts,
  refusalOf,
} from '@fastify-crud/client/internal'
import type { CustomParams, DataProvider, GetListParams, HttpError, MetaQuery } from '@refinedev/core'
import { refineFilterOf } from './filters.ts'

export interface RefineOptions {
  /** What `useApiUrl` returns. Default: nothing. */
  readonly url?: string
  /** Sentences in an application's own words. */
  readonly messages?: RefusalTexts
}

/** What Refine makes of a refusal: a notification, and messages at the fields of a form. */
export class RefineError extends Error implements HttpError {
  override readonly name = 'RefineError'
  readonly statusCode: number
  /** The service's code, such as `CRUD_ERR_PRECONDITION`. */
  readonly code: string
  readonly errors: Record<string, string>

  constructor({ message, status, code, inputs }: FormRefusal, cause: unknown) {
    super(message, { cause })
    this.statusCode = status
    this.code = code
    this.errors = { ...inputs }
  }
}

/** A data provider with every method that Refine knows. */
export type RefineProvider = Required<DataProvider>

/**
 * A data provider of Refine over a client of the service.
 *
 * An update sends what the form has. With the `$etag` of the record among its values, it is refused if somebody else
 * has changed the record since it was read.
 *
 * @example
 * const dataProvider = refineProvider(createClient<typeof resources>({ url: '/api' }))
 */
export function refineProvider(api: DataClient, { url = '', messages = {} }: RefineOptions = {}): RefineProvider {
  const records = createRecords(api, (error, form, values) => {
    const refusal = refusalOf(error, messages, form, values && inputsOf(values))
    return refusal === undefined ? error : new RefineError(refusal, error)
  })

  const queryOf = async (params: GetListParams): Promise<RecordListQuery> => {
    const { resource, pagination = {}, sorters = [], filters = [] } = params
    const { currentPage = 1, pageSize = 10, mode = 'server' } = pagination
    const { conditions, search } = refineFilterOf(await records.model(), resource, filters)
    const sort = sorters.map(({ field, order }) => (order === 'desc' ? `-${field}` : field))
    // Else the table itself makes pages of all records, or shows all.
    const page =
      mode === 'server' ? { offset: (currentPage - 1) * pageSize, limit: pageSize } : { offset: 0, limit: undefined }
    return { conditions, search, sort, ...page }
  }

  return {
    getApiUrl: () => url,

    async getList(params) {
      const query = await queryOf(params)
      const { rows, count, hasNext } = await records.list(params.resource, query, metaOf(params.meta))
      // Where nobody counts to the last record, there is at least one more page.
      const seen = query.offset + rows.length + (hasNext ? 1 : 0)
      return { data: asData(rows), total: Math.max(count ?? 0, seen) }
    },
    async getOne({ resource, id, meta }) {
      return { data: asData(await records.one(resource, id, metaOf(meta))) }
    },
    async getMany({ resource, ids, meta }) {
      return { data: asData(await records.many(resource, ids, metaOf(meta))) }
    },
    async create({ resource, variables, meta }) {
      return { data: asData(await records.create(resource, asData(variables), metaOf(meta))) }
    },
    async createMany({ resource, variables, meta }) {
      return { data: asData(await records.createMany(resource, asData(variables), metaOf(meta))) }
    },
    async update({ resource, id, variables, meta }) {
      return { data: asData(await records.update(resource, id, asData(variables), meta?.record, metaOf(meta))) }
    },
    async updateMany({ resource, ids, variables, meta }) {
      return { data: asData(await records.updateMany(resource, ids, asData(variables), metaOf(meta))) }
    },
    async deleteOne({ resource, id, variables, meta }) {
      const base = meta?.record ?? variables
      await records.delete(resource, id, base, metaOf(meta))
      return { data: asData({ id }) }
    },
    async deleteMany({ resource, ids, meta }) {
      await records.deleteMany(resource, ids, metaOf(meta))
      return { data: asData(ids.map((id) => ({ id }))) }
    },
    async custom({ url: asked, payload, query, meta }) {
      const call = callOf(asked, url)
      if (call === undefined)
        throw new Error(
          `custom knows 'invoice/7/$act/pay', 'invoice/$act/sums', 'invoice/7/$restore' and 'invoice/$group', not '${asked}'`,
        )
      const options = metaOf(meta)
      const { resource, id, verb, name } = call
      if (verb === '$group') return { data: asData(await records.group(resource, Object(query), options)) }
      const base = meta?.record as { readonly $etag?: unknown } | undefined
      if (verb === '$restore') return { data: asData(await records.restore(resource, id as string, base, options)) }
      const target = base?.$etag === undefined ? id : base
      const action = { name: name as string, target, body: payload, ...(query != null && { query: Object(query) }) }
      return { data: asData(await records.act(resource, action, options)) }
    },
  }
}

interface CustomCall {
  readonly resource: string
  readonly id: string | undefined
  readonly verb: string
  readonly name: string | undefined
}

/** What an address behind that of the service asks for; undefined: nothing that is known. */
function callOf(address: CustomParams['url'], url: string): CustomCall | undefined {
  const path = url !== '' && address.startsWith(url) ? address.slice(url.length) : address
  const steps = path.replace(/^\//, '').split('/').map(decodeURIComponent)
  const at = steps.findIndex((step) => step.startsWith('$'))
  const [resource = '', id] = steps.slice(0, at === -1 ? 0 : at)
  const [verb = '', name, ...more] = steps.slice(at)
  const isKnown =
    (verb === '$act' && name !== undefined) ||
    (name === undefined && ((verb === '$restore' && id !== undefined) || (verb === '$group' && id === undefined)))
  return isKnown && (at === 1 || at === 2) && more.length === 0 ? { resource, id, verb, name } : undefined
}

/**
 * What the components say of a request. Refine adds the query of the page's address, which anybody may have written: so
 * there are no headers in it.
 */
function metaOf({ owner, fields, include, nested, count, deleted, queryContext }: MetaQuery = {}): RecordMeta {
  const isList = Array.isArray
  return {
    ...(typeof owner === 'object' && { owner }),
    ...(isList(fields) && { fields: fields as string[] }),
    ...(isList(include) && { include }),
    ...(typeof nested === 'object' && { nested }),
    ...(count !== undefined && { count }),
    ...(deleted === true && { deleted }),
    ...(queryContext !== undefined && { signal: queryContext.signal }),
  }
}

/** Only the caller of a provider knows the type of its records. */
// biome-ignore lint/suspicious/noExplicitAny: see above
function asData(values: unknown): any {
  return values
}
