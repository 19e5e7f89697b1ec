import type { Descriptors } from 'fastify-crud'
import { isObject, type Json } from './json.ts'
import type { Access } from './policy-spec.ts'
import type { Request } from './reference-answer.ts'
import type { Setting } from './side.ts'

/** A model and requests that show a difference. */
export interface Case {
  readonly descriptors: Descriptors
  readonly setting: Setting
  readonly access: Access | undefined
  readonly requests: readonly Request[]
}

/** The case without some of its requests: first without many of them, then without one. */
export function fewerRequests(one: Case): Case[] {
  const { requests } = one
  const found: Case[] = []
  for (let size = Math.ceil(requests.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let end = requests.length; end > 0; end -= size) {
      found.push({ ...one, requests: [...requests.slice(0, Math.max(end - size, 0)), ...requests.slice(end)] })
    }
  }
  return found
}

/** The case with a plain setting. */
export function plainerSettings(one: Case): Case[] {
  const { documented, camelCase, kept, ids, tenants, keepsDeleted, uniquePlaces } = one.setting
  return [
    ...(documented ? [{ ...one, setting: { ...one.setting, documented: false } }] : []),
    ...(tenants === 'partitions' ? [{ ...one, setting: { ...one.setting, tenants: 'plain' as const } }] : []),
    ...(keepsDeleted === 'in a trash' ? [{ ...one, setting: { ...one.setting, keepsDeleted: true } }] : []),
    ...(keepsDeleted ? [{ ...one, setting: { ...one.setting, keepsDeleted: false } }] : []),
    ...(uniquePlaces ? [{ ...one, setting: { ...one.setting, uniquePlaces: false } }] : []),
    ...(ids ? [{ ...one, setting: { ...one.setting, ids: 0 } }] : []),
    ...(kept ? [{ ...one, setting: { ...one.setting, kept: false } }] : []),
    ...(camelCase ? [{ ...one, setting: { ...one.setting, camelCase: false } }] : []),
  ]
}

/** The case with one property or element of a body less, or without other numbers in between. */
export function smallerBodies(one: Case): Case[] {
  return one.requests.flatMap((request, index) => {
    const { renumbered, ...plain } = request
    if (renumbered !== undefined) return [{ ...one, requests: one.requests.with(index, plain) }]
    return smallerValues(request.body ?? null).map((body) => {
      return { ...one, requests: one.requests.with(index, { ...request, body }) }
    })
  })
}

export function smallerValues(value: Json): Json[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => [
      value.toSpliced(index, 1),
      ...smallerValues(item).map((smaller) => value.with(index, smaller)),
    ])
  }
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, item]) => {
    const { [name]: _, ...others } = value
    return [others, ...smallerValues(item).map((smaller) => ({ ...value, [name]: smaller }))]
  })
}
