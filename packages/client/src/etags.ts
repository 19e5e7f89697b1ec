import type { ServiceModel } from './service-model.ts'

/** A record, of which nothing is known but that it may have an id and an ETag. */
export interface AnyRecord {
  readonly id?: unknown
  readonly $etag?: unknown
  readonly [name: string]: unknown
}

/** A record with its ETag as data, where the answer has one. A proxy that compresses answers makes a weak one of it. */
export function withEtag<R>(record: R, etag: string | null): R {
  return etag === null ? record : { ...record, $etag: etag.replace(/^W\//, '') }
}

/** Which record a write is for, and in which state. */
export interface WriteTarget {
  readonly id: string | number
  readonly headers: Record<string, string>
  /** The record that was read; undefined: the write is unconditional. */
  readonly base: AnyRecord | undefined
}

/** What a write is for: an id, or a record with its ETag. Throws a TypeError for a record without. */
export function writeTarget(target: unknown): WriteTarget {
  if (typeof target !== 'object' || target === null) {
    return { id: target as string | number, headers: {}, base: undefined }
  }
  const { id, $etag } = target as AnyRecord
  if (typeof $etag === 'string')
    return { id: id as string | number, headers: { 'if-match': $etag }, base: target as AnyRecord }
  throw new TypeError(
    'the record has no $etag, as it is a part of one or a row of a list: read it by find(id) or list({ etags: true }), or give its id to write whatever its state is',
  )
}

/**
 * A body without the ETags of records in it. Values of fields are not looked into: what they hold is the
 * application's.
 */
export function withoutEtags(body: unknown, resource: string | undefined, model: ServiceModel): unknown {
  if (Array.isArray(body)) return body.map((one) => withoutEtags(one, resource, model))
  if (typeof body !== 'object' || body === null) return body
  const relations = resource === undefined ? {} : (model.resources[resource]?.relations ?? {})
  const entries = Object.entries(body).filter(([name]) => name !== '$etag')
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const { target } = (Object.hasOwn(relations, name) && relations[name]) || {}
      return [name, target === undefined ? value : withoutEtags(value, target, model)]
    }),
  )
}
