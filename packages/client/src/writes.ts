import { type AnyRecord, withEtag, writeTarget } from './etags.ts'
import { actionQuery, queryString } from './query-string.ts'
import { ConflictError, EffectsChangedError, ServiceError } from './service-error.ts'
import type { RequestOptions, ServiceAnswer, ServiceCall } from './transport.ts'

export type ClientId = string | number

export interface CallOptions extends RequestOptions {
  readonly dryRun?: boolean
}

/** What a request has besides its method, its path and what its caller says of it. */
export interface SendTerms {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** What the client would like, by the names of the header `Prefer`. */
  readonly prefer?: Readonly<Record<string, unknown>>
  readonly repeats: ServiceCall['repeats']
}

/** Sends a request to a collection. `suffix`: behind its path. */
export type Send = (method: string, suffix: string, terms: SendTerms, options?: CallOptions) => Promise<ServiceAnswer>

/** A write that is to be done, or to be looked at first. */
export interface PendingWrite {
  readonly method: string
  readonly suffix: string
  readonly terms: SendTerms
  readonly options: CallOptions | undefined
  /** The record that was read before; undefined: the write is unconditional. */
  readonly base?: AnyRecord | undefined
  /** Reads the record as it is now. */
  readonly read?: () => Promise<unknown>
  /** What the write resolves to. */
  finish(answer: ServiceAnswer): unknown
}

export type Perform = (write: PendingWrite) => Promise<unknown>

/** Does a write. */
export function performing(send: Send): Perform {
  const sendWrite = async ({ method, suffix, terms, options, base, read }: PendingWrite): Promise<ServiceAnswer> => {
    try {
      return await send(method, suffix, terms, options)
    } catch (error) {
      const isConflict =
        error instanceof ServiceError && !(error instanceof EffectsChangedError) && error.status === 412
      if (!isConflict || base === undefined) throw error
      const { status, code, message: detail, errors, blockers } = error
      const theirs = read as () => Promise<unknown>
      throw new ConflictError(status, { code, detail, errors, blockers }, base, terms.body, theirs)
    }
  }
  return async (write) => write.finish(await sendWrite(write))
}

/** Shows what a write would do, and what does exactly that. */
export function previewing(perform: Perform): Perform {
  return async (write) => {
    const { prefer } = write.terms
    const preview = {
      ...write.terms,
      prefer: { ...prefer, return: 'effects', tx: 'rollback' },
      repeats: 'always',
    } as const
    const { dryRun: _, ...options } = write.options ?? {}
    const confirmed = { ...write, options }
    return await perform({
      ...confirmed,
      terms: preview,
      finish: ({ body, tag }) => confirmable(body, tag, confirmed, perform),
    })
  }
}

/** Effects, with what does the write if these are still its effects. */
function confirmable(effects: object, tag: string | null, write: PendingWrite, perform: Perform): object {
  const confirm = async (): Promise<unknown> => {
    const headers = { ...write.terms.headers, ...(tag !== null && { 'effects-match': tag }) }
    try {
      return await perform({ ...write, terms: { ...write.terms, headers } })
    } catch (error) {
      if (!(error instanceof EffectsChangedError)) throw error
      throw error.with(confirmable(error.effects, error.tag, write, perform))
    }
  }
  // JSON and clones have the effects alone.
  return Object.defineProperty({ ...effects }, 'confirm', { value: confirm })
}

/** The methods that write, in one way to perform them. `read`: the record with an id. */
export function writeMethods(perform: Perform, read: (prefix: string, id: ClientId) => Promise<unknown>) {
  const writeOne = (
    method: string,
    target: unknown,
    body: unknown,
    options: CallOptions | undefined,
    finish: PendingWrite['finish'],
    { prefix = '', suffix = '', repeats = repeatsOf(method) }: WriteTerms = {},
  ) => {
    const { id, headers, base } = writeTarget(target)
    const terms = { body, headers, repeats }
    return perform({
      method,
      suffix: `${prefix}/${segment(id)}${suffix}`,
      terms,
      options,
      base,
      read: () => read(prefix, id),
      finish,
    })
  }
  const record = (options: CallOptions | undefined) => (answer: ServiceAnswer) => recordIn(answer, options)
  /** An undo may take the record away. */
  const recordIfThere = (options: CallOptions | undefined) => (answer: ServiceAnswer) =>
    answer.body === undefined ? undefined : recordIn(answer, options)
  const many = (method: string, bodies: readonly unknown[], query: string, options: CallOptions | undefined) =>
    perform({ method, suffix: query, terms: { body: bodies, repeats: repeatsOf(method) }, options, finish: bodyOf })
  const matching = (
    method: string,
    { filter, maxAffected }: MatchingRecords,
    body: unknown,
    options: CallOptions | undefined,
  ) => {
    const terms = { body, prefer: { 'max-affected': maxAffected }, repeats: repeatsOf(method) }
    return perform({ method, suffix: queryString({ filter }), terms, options, finish: bodyOf })
  }
  return {
    writeOne,
    methods: {
      async create(body: unknown, { id, ...options }: CallOptions & { readonly id?: ClientId } = {}) {
        const suffix = id === undefined ? '' : `/${segment(id)}`
        return await perform({
          method: 'POST',
          suffix,
          terms: { body, repeats: 'by key' },
          options,
          finish: record(options),
        })
      },
      replace: async (target: unknown, body: unknown, options?: CallOptions) =>
        await writeOne('PUT', target, body, options, record(options)),
      patch: async (target: unknown, body: unknown, options?: CallOptions) =>
        await writeOne('PATCH', target, body, options, record(options)),
      delete: async (target: unknown, options?: CallOptions) =>
        await writeOne('DELETE', target, undefined, options, nothing),
      createMany: (bodies: readonly unknown[], options?: CallOptions) => many('POST', bodies, '', options),
      replaceMany: (bodies: readonly unknown[], options?: CallOptions) => many('PUT', bodies, '', options),
      patchMany: (bodies: readonly unknown[], options?: CallOptions) => many('PATCH', bodies, '', options),
      async upsert(body: unknown, { by, ...options }: CallOptions & { readonly by: readonly string[] }) {
        const finish = (answer: ServiceAnswer) => ({ record: recordIn(answer, options), isNew: answer.status === 201 })
        return await perform({
          method: 'PUT',
          suffix: queryString({ by }),
          terms: { body, repeats: 'never' },
          options,
          finish,
        })
      },
      upsertMany: (bodies: readonly unknown[], { by, ...options }: CallOptions & { readonly by: readonly string[] }) =>
        many('PUT', bodies, queryString({ by }), options),
      patchMatching: (which: MatchingRecords, body: unknown, options?: CallOptions) =>
        matching('PATCH', which, body, options),
      deleteMatching: (which: MatchingRecords, options?: CallOptions) => matching('DELETE', which, undefined, options),
      restore: async (target: unknown, options?: CallOptions) =>
        await writeOne('POST', target, undefined, options, record(options), { suffix: '/$restore' }),
      undo: async (target: unknown, write: string, options?: CallOptions) =>
        await writeOne('POST', target, undefined, options, recordIfThere(options), {
          suffix: `/$history/${segment(write)}/$undo`,
        }),
      purge: async (target: unknown, options?: CallOptions) =>
        await writeOne('DELETE', target, undefined, options, nothing, { prefix: '/$deleted' }),
    },
  }
}

/** An action of the application, as the model has it and its caller names it. */
export interface NamedAction {
  /** The record or its id; undefined for an action of the collection. */
  readonly target: unknown
  readonly name: string
  readonly method: 'POST' | 'GET'
  /** It answers what it declares, and not the record. */
  readonly hasAnswer: boolean
  readonly body: unknown
  readonly options: (CallOptions & { readonly query?: object }) | undefined
}

/** Carries out an action. */
export async function carryOut(
  perform: Perform,
  writeOne: ReturnType<typeof writeMethods>['writeOne'],
  { target, name, method, hasAnswer, body, options: { query, ...options } = {} }: NamedAction,
): Promise<unknown> {
  const suffix = `/$act/${segment(name)}${actionQuery(query)}`
  const repeats = method === 'GET' ? 'always' : 'by key'
  const finish = ({ body: answered, etag }: ServiceAnswer) =>
    hasAnswer || answered === undefined ? answered : withEtag(answered, options.dryRun ? null : etag)
  if (target === undefined) return await perform({ method, suffix, terms: { body, repeats }, options, finish })
  return await writeOne(method, target, body, options, finish, { suffix, repeats })
}

/** Where a write goes, and whether it is sent again. */
interface WriteTerms {
  /** Before the record's id. */
  readonly prefix?: string
  readonly suffix?: string
  readonly repeats?: ServiceCall['repeats']
}

interface MatchingRecords {
  readonly filter: unknown
  readonly maxAffected: number
}

/** POST and PATCH have keys. */
function repeatsOf(method: string): ServiceCall['repeats'] {
  return method === 'PUT' || method === 'DELETE' ? 'never' : 'by key'
}

/** The record that a write answers. Throws where there is none although the write is done, so that nobody goes on with
 * nothing. */
function recordIn({ status, body, etag }: ServiceAnswer, { dryRun }: CallOptions = {}): AnyRecord {
  if (body !== undefined) return withEtag(body, dryRun ? null : etag)
  const detail = 'the write is done, but its record is too large for an answer, or hidden from the caller'
  throw new ServiceError(status, { code: 'CRUD_ERR_TOO_LARGE', detail })
}

function bodyOf({ body }: ServiceAnswer): unknown {
  return body
}

export function nothing(): void {}

export function segment(part: ClientId): string {
  return encodeURIComponent(part)
}
