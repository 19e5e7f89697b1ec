import { conditionsIn, filterPathAt } from '../model/filters.ts'
import type { ModelDocument, Row } from '../model/model.ts'
import { type Spot, spotAt } from '../model/names.ts'
import type { SentRequest } from './requests.ts'

/** What the client's code needs of a request. */
export type CodedRequest = Pick<SentRequest, 'method' | 'path' | 'headers' | 'body'>

interface Call {
  /** Of a record or of the list: the methods `api.book.patch`, `api.book.owned(7, 'chapters').create`. */
  readonly method: string
  readonly args: readonly unknown[]
  /** What it resolves to. */
  readonly result?: string
}

/** The request as a call of `@fastify-crud/client`; undefined: the client has no method for it. */
export function clientCallOf(request: CodedRequest, model: ModelDocument): string | undefined {
  const [path = '', search = ''] = request.path.split('?')
  const query = new URLSearchParams(search)
  if (path === '/$model') return 'const model = await api.model()'
  if (path === '/$changes') return 'for await (const change of changes(api)) console.log(change)'
  const [plain = '', ...parts] = path.split(/\/(?=\$)/)
  const spot = spotAt(model, plain)
  if (spot === undefined) return undefined
  const found = parts.length === 0 ? ofRecords(request, spot, query, model) : ofParts(request, spot, parts, query)
  const collection = collectionOf(spot, model)
  if (found === undefined || collection === undefined) return undefined
  const { method, args, result } = found
  const call = (at: string) => `await ${collection}.${at}(${args.map(written).join(', ')})`
  const prefer = request.headers.prefer ?? ''
  if (/tx=rollback/.test(prefer)) return `const preview = ${call(`preview.${method}`)}\nconsole.log(preview.changes)`
  if (request.headers['effects-match'] !== undefined)
    return `const preview = ${call(`preview.${method}`)}\n${result === undefined ? '' : `const ${result} = `}await preview.confirm()`
  return `${result === undefined ? '' : `const ${result} = `}${call(method)}`
}

/** `api.book`, or for what records own `api.book.owned(7, 'chapters')`. */
function collectionOf({ chain }: Spot, { resources }: ModelDocument): string | undefined {
  const [top, ...below] = chain
  if (top === undefined) return undefined
  let code = /^[A-Za-z_$][\w$]*$/.test(top.resource) ? `api.${top.resource}` : `api.resource(${written(top.resource)})`
  let owner = top
  for (const step of below) {
    const segment = step.collection.split('/').at(-1)
    const relations = Object.entries(resources[owner.resource]?.relations ?? {})
    const named = relations.find(([, { kind, path }]) => kind.startsWith('owns') && path === segment)
    if (named === undefined || owner.id === undefined) return undefined
    code += `.owned(${written(idOf(owner.id))}, ${written(named[0])})`
    owner = step
  }
  return code
}

/** Ids of integers are numbers. */
const idOf = (id: string): unknown => (/^\d{1,15}$/.test(id) ? Number(id) : id)

/** With its ETag, if the request is for the record as it was read. */
function targetOf({ headers }: CodedRequest, id: string): unknown {
  const tag = headers['if-match']
  return tag === undefined || tag === '*' ? idOf(id) : { id: idOf(id), $etag: tag }
}

function ofRecords(request: CodedRequest, spot: Spot, query: URLSearchParams, model: ModelDocument): Call | undefined {
  const { method, body } = request
  const { id } = spot
  if (id !== undefined) {
    const at = query.get('at')
    if (method === 'GET')
      return { method: 'find', args: [idOf(id), ...(at === null ? [] : [{ at }])], result: 'record' }
    if (method === 'PATCH') return { method: 'patch', args: [targetOf(request, id), body], result: 'record' }
    return method === 'DELETE' ? { method: 'delete', args: [targetOf(request, id)] } : undefined
  }
  const filter = filterOf(query, spot.resource, model)
  if (method === 'GET') {
    const options = optionsOf(query, filter)
    return { method: 'list', args: options === undefined ? [] : [options], result: '{ rows, count }' }
  }
  const by = query.get('by')?.split(',')
  if (method === 'POST' && Array.isArray(body)) return { method: 'createMany', args: [body], result: '{ rows }' }
  if (method === 'POST') return { method: 'create', args: [body], result: 'record' }
  if (method === 'PUT' && by !== undefined) return { method: 'upsertMany', args: [body, { by }], result: '{ rows }' }
  if (method === 'PATCH' && Array.isArray(body)) return { method: 'patchMany', args: [body], result: '{ rows }' }
  const which = { filter, maxAffected: Number(/max-affected=(\d+)/.exec(request.headers.prefer ?? '')?.[1]) }
  if (method === 'PATCH') return { method: 'patchMatching', args: [which, body], result: '{ count }' }
  return method === 'DELETE' ? { method: 'deleteMatching', args: [which], result: '{ count }' } : undefined
}

/** What stands behind a `$` in the path. */
function ofParts(
  request: CodedRequest,
  { id }: Spot,
  [part = '', undo]: readonly string[],
  query: URLSearchParams,
): Call | undefined {
  const [name, of] = part.split('/')
  const record = id === undefined ? [] : [targetOf(request, id)]
  const options = optionsOf(query, undefined)
  const more = options === undefined ? [] : [options]
  if (name === '$act' && of !== undefined)
    return {
      method: 'act',
      args: [...record, of, ...(request.body === undefined ? [] : [request.body])],
      result: 'answer',
    }
  if (name === '$group') return { method: 'group', args: more, result: '{ rows }' }
  if (name === '$deleted' && request.method === 'GET') return { method: 'deleted.list', args: more, result: '{ rows }' }
  if (name === '$deleted' && of !== undefined) return { method: 'purge', args: [idOf(of)] }
  if (id === undefined) return undefined
  if (name === '$restore') return { method: 'restore', args: record, result: 'record' }
  if (name !== '$history') return undefined
  if (undo === '$undo' && of !== undefined) return { method: 'undo', args: [idOf(id), of], result: 'record' }
  return query.size > 1 ? undefined : { method: 'history', args: [idOf(id), ...more], result: '{ rows }' }
}

/** The conditions of a query as the client takes them: with numbers and booleans in place of texts. */
function filterOf(query: URLSearchParams, resource: string, model: ModelDocument): Row | undefined {
  const json = query.get('filter')
  if (json !== null) return JSON.parse(json)
  const filter: Record<string, Record<string, unknown>> = {}
  for (const { path, operator, values } of conditionsIn(query)) {
    const kind = filterPathAt(model, resource, path)?.kind ?? 'text'
    const read = values.map((value) => {
      if (operator === 'null' || kind === 'boolean') return value === 'true'
      return kind === 'integer' || kind === 'number' ? Number(value) : value
    })
    filter[path] = { ...filter[path], [operator]: operator === 'in' || operator === 'nin' ? read : read[0] }
  }
  return Object.keys(filter).length === 0 ? undefined : filter
}

const LISTS = ['sort', 'fields', 'include', 'by', 'values']

function optionsOf(query: URLSearchParams, filter: Row | undefined): Row | undefined {
  const others = [...query].flatMap(([name, value]): [string, unknown][] => {
    if (name.startsWith('filter')) return []
    if (LISTS.includes(name)) return [[name, value.split(',')]]
    return [[name, (name === 'limit' || name === 'count') && /^\d+$/.test(value) ? Number(value) : value]]
  })
  const options = { ...(filter && { filter }), ...Object.fromEntries(others) }
  return Object.keys(options).length === 0 ? undefined : options
}

/** As JavaScript: like JSON, with names that need no quotes. */
export function written(value: unknown): string {
  const text = (one: string) => `'${JSON.stringify(one).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const parts = Array.isArray(value)
    ? value.map(written)
    : Object.entries(value).flatMap(([name, one]) =>
        one === undefined ? [] : [`${/^[A-Za-z_$][\w$]*$/.test(name) ? name : text(name)}: ${written(one)}`],
      )
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{ ', ' }']
  if (parts.length === 0) return Array.isArray(value) ? '[]' : '{}'
  const line = `${open}${parts.join(', ')}${close}`
  if (line.length <= 100) return line
  return `${open.trim()}\n${parts.map((part) => `  ${part.replaceAll('\n', '\n  ')},`).join('\n')}\n${close.trim()}`
}
