import { type Caller, headersOf } from './callers.ts'
import { fittingValue, type Making } from './fitting-value.ts'
import { HOSTILE_HEADERS, HOSTILE_MEDIA_TYPES, HOSTILE_QUERIES, HOSTILE_SEGMENTS } from './hostile-values.ts'
import type { KnownCursors } from './known-cursors.ts'
import { mutateBody, mutateText } from './mutate-body.ts'
import { mutateCursor } from './mutate-cursor.ts'
import { mutateQuery } from './mutate-query.ts'
import type { FuzzedOperation } from './operations.ts'
import { inUrl, type QueryPairs, randomQuery } from './random-query.ts'

/** A request as it is sent. */
export interface FuzzedRequest {
  readonly caller: Caller
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload: string | Buffer | undefined
}

/** The request while it is changed. */
interface Draft {
  method: string
  path: string
  pairs: QueryPairs
  /** The parts of the query that are as they come, or as they were sent before. */
  query: string[]
  headers: Record<string, string>
  body: unknown
  payload: string | Buffer | undefined
}

/** What requests are made of. */
export interface Round extends Omit<Making, 'org'> {
  readonly cursors: KnownCursors
}

/** One request of the operation; about half of them fit the document. */
export function randomRequest({ cursors, ...round }: Round, operation: FuzzedOperation, caller: Caller): FuzzedRequest {
  const { random, ids } = round
  const making = { ...round, org: caller.org }
  const page =
    operation.query.some(({ name }) => name === 'after') && random.chance(0.25) ? cursors.page(caller.name) : undefined
  const path = page?.path ?? ids.path(operation.template)
  const body = operation.body === undefined ? undefined : fittingBody(making, operation, path)
  const draft: Draft = {
    method: operation.method,
    path,
    pairs: page === undefined ? randomQuery(making, operation) : [['after', page.next]],
    query: [...(page?.query ?? [])],
    headers: headersOf(caller),
    body,
    payload: undefined,
  }
  const mutations = random.chance(0.5) ? 0 : 1 + random.int(2)
  for (let count = 0; count < mutations; count += 1) mutateParts(making, draft)
  if (draft.body !== undefined) {
    draft.headers['content-type'] ??= 'application/json'
    const text = JSON.stringify(draft.body)
    draft.payload = mutations > 0 && random.chance(0.1) ? mutateText(random, text) : text
  }
  if (draft.method !== 'GET' && making.random.chance(0.3)) draft.headers.prefer = making.random.pick(EFFECTS) ?? ''
  const query = [...draft.query, ...inUrl(making, draft.pairs)]
  const search = query.length === 0 ? '' : `?${query.join('&')}`
  const url = `${draft.path.startsWith('/') ? '' : '/'}${draft.path}${search}`
  return { caller, method: draft.method, url, headers: draft.headers, payload: draft.payload }
}

/** In a PUT or PATCH often the record as it was shown, with something changed; its id, if there is one, is mostly that of the path. */
function fittingBody(making: Making, { method, template, body }: FuzzedOperation, path: string): unknown {
  const { random, ids } = making
  const place =
    template
      .replace(/\/\{id\}$/, '')
      .split('/')
      .at(-1) ?? ''
  const value = fittingValue(making, body ?? {}, [place])
  const isNamedByPath = template.endsWith('{id}') && (method === 'PUT' || method === 'PATCH')
  if (!isNamedByPath || typeof value !== 'object' || value === null || random.chance(0.1)) return value
  const { id: _, ...others } = value as { id?: unknown }
  const shown = random.chance(0.5) ? ids.record(path) : undefined
  if (shown === undefined) return others
  return { ...shown, ...Object.fromEntries(Object.entries(others).filter(() => random.chance(0.3))) }
}

function mutateReading(making: Making, pairs: QueryPairs): QueryPairs {
  const [[key, value] = ['', '']] = pairs
  if (key !== 'after' || making.random.chance(0.3)) return mutateQuery(making, pairs)
  return [[key, mutateCursor(making, value)], ...pairs.slice(1)]
}

function mutateParts(making: Making, draft: Draft): void {
  const { random, ids } = making
  if (draft.method === 'GET' && random.chance(0.5)) {
    draft.pairs = mutateReading(making, draft.pairs)
    return
  }
  const hostile = random.pick(HOSTILE_SEGMENTS) ?? ''
  const segments = draft.path.split('/')
  const at = 1 + random.int(segments.length - 1)
  switch (random.int(12)) {
    case 0:
      draft.method = random.pick(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) ?? 'GET'
      break
    case 1:
      segments[at] = hostile
      draft.path = segments.join('/')
      break
    case 2:
      segments.splice(at, random.int(2), hostile)
      draft.path = segments.join('/')
      break
    case 3:
      segments[at] = encodeURIComponent(ids.at(''))
      draft.path = segments.join('/')
      break
    case 4:
      draft.path =
        random.pick([
          `${draft.path}/`,
          draft.path.replace(/\/(?=[^/]*$)/, random.pick(['//', '%2F', '/./']) ?? ''),
          draft.path.toUpperCase(),
        ]) ?? ''
      break
    case 5:
      draft.query.push(random.pick(HOSTILE_QUERIES) ?? '')
      break
    case 6:
      draft.headers['content-type'] = random.pick(HOSTILE_MEDIA_TYPES) ?? ''
      break
    case 7: {
      const [name, value] = random.pick(HOSTILE_HEADERS) ?? ['accept', '*/*']
      draft.headers[name] = value
      break
    }
    default:
      if (draft.body !== undefined) draft.body = mutateBody(random, draft.body)
      else draft.body = random.chance(0.2) ? {} : undefined
  }
}

const EFFECTS = ['return=effects', 'return=effects, tx=rollback']
