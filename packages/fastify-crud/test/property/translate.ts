import type { IdMap, SideId } from './id-map.ts'
import { isObject, type Json, type JsonObject, own } from './json.ts'
import {
  isChoosable,
  type RefLink,
  type RefModel,
  type RefOwns,
  type RefResource,
  resourceOf,
} from './reference-model.ts'

/** What stands in the place of an id of that resource. `isOwn`: it is the id of the record that the body describes. */
type ChangeId = (resource: string, id: Json, isOwn: boolean) => Json

/** A body, right or wrong, with another id in every place where one belongs. */
export function changeIds(model: RefModel, resource: RefResource, body: Json, change: ChangeId): Json {
  if (!isObject(body)) return body
  const each = (value: Json, one: (item: Json) => Json): Json => (Array.isArray(value) ? value.map(one) : one(value))
  const related = (target: string) => (item: Json) => {
    if (!isObject(item)) return item
    const ids = ['id', '$before'].flatMap((name) => {
      const id = own(item, name)
      return id === undefined ? [] : [[name, change(target, id, false)]]
    })
    return { ...item, ...Object.fromEntries(ids) }
  }
  const entries = Object.entries(body).map(([name, value]): [string, Json] => {
    if (name === 'id') return [name, change(resource.key, value, true)]
    if (name === '$before') return [name, change(resource.key, value, false)]
    const owns = resource.owns.find((one) => one.name === name)
    if (owns !== undefined) {
      const target = resourceOf(model, owns.target)
      return [name, each(value, (item) => changeIds(model, target, item, change))]
    }
    for (const reference of resource.references) {
      if (reference.foreignKey === name) return [name, change(reference.target, value, false)]
      if (reference.name === name) return [name, related(reference.target)(value)]
    }
    const owner = resource.owners.find(({ foreignKey }) => foreignKey === name)
    if (owner !== undefined) return [name, change(owner.target, value, false)]
    const link = resource.links.find((one) => one.name === name)
    return [name, link === undefined ? value : each(value, related(link.target))]
  })
  return Object.fromEntries(entries)
}

/** The body as it is sent to a database that has ids of its own. `isNew`: it is a POST's. `isNamed`: the path has the id. */
export function toSide(
  model: RefModel,
  resource: RefResource,
  body: Json,
  ids: IdMap,
  isNew = false,
  isNamed = false,
): Json {
  const changed = changeIds(model, resource, body, (key, id, isOwn) => {
    if (Number.isSafeInteger(id)) {
      const mustBeChoosable = isOwn && ids.kindOf(key).isGiven && !ids.hasReference(key, id as number)
      return mustBeChoosable && !isChoosable(id as number) ? NO_ID_OF_ANY_KIND : ids.toSide(key, id as number)
    }
    return typeof id === 'string' ? NO_ID_OF_ANY_KIND : id
  })
  return withNewIds(model, resource, changed, ids, isNew, isNamed)
}

/** The same of the body of a link's address. */
export function linkToSide(model: RefModel, resource: RefResource, name: string, body: Json, ids: IdMap): Json {
  const changed = toSide(model, resource, { [name]: [body] }, ids)
  const elements = isObject(changed) ? own(changed, name) : undefined
  return Array.isArray(elements) ? (elements[0] ?? null) : body
}

const NO_ID_OF_ANY_KIND = '\u0000'

/** Where bodies have the ids of new records, these get some. */
function withNewIds(
  model: RefModel,
  resource: RefResource,
  body: Json,
  ids: IdMap,
  isNew: boolean,
  isNamed: boolean,
): Json {
  if (!isObject(body)) return body
  const kind = ids.kindOf(resource.key)
  const lacksId = isNew && !isNamed && kind.isGiven && own(body, 'id') === undefined
  const filled: JsonObject = lacksId ? { id: kind.unknown(0), ...body } : { ...body }
  for (const { name, target: key, many } of resource.owns) {
    const value = own(body, name)
    const target = resourceOf(model, key)
    const one = (item: Json): Json => {
      const id = isObject(item) ? own(item, 'id') : undefined
      const isUnknown = id !== undefined && ids.toReference(key, id as SideId) === undefined
      return withNewIds(model, target, item, ids, isNew || isUnknown || (many && id === undefined), false)
    }
    if (value !== undefined) filled[name] = Array.isArray(value) ? value.map(one) : one(value)
  }
  return filled
}

/**
 * Learns from an answer which new record is which: by its place among the new ones.
 *
 * @throws Error if an id was another record's before.
 */
export function pairIds(model: RefModel, resource: RefResource, expected: Json, actual: Json, ids: IdMap): void {
  if (!isObject(expected) || !isObject(actual)) return
  if (typeof expected.id === 'number' && isSideId(actual.id)) ids.pair(resource.key, expected.id, actual.id)
  for (const { name, target: key } of resource.owns) {
    const target = resourceOf(model, key)
    const ours = recordsIn(own(expected, name))
    const theirs = recordsIn(own(actual, name))
    const { isGiven } = ids.kindOf(key)
    const named = new Map<JsonObject, JsonObject>()
    for (const item of ours) {
      const id = Number(item.id)
      const known = theirs.find((other) => other.id === ids.toSide(key, id))
      if (known !== undefined && (isGiven || ids.hasReference(key, id))) named.set(item, known)
    }
    const isNamed = new Set(named.values())
    const added = theirs.filter(
      (other) => !isNamed.has(other) && (ids.toReference(key, other.id as SideId) === undefined || ids.isReused(key)),
    )
    for (const item of ours) {
      const isNew = !ids.hasReference(key, Number(item.id))
      pairIds(model, target, item, named.get(item) ?? (isNew ? added.shift() : undefined) ?? null, ids)
    }
  }
}

function recordsIn(value: Json | undefined): JsonObject[] {
  return (Array.isArray(value) ? value : [value ?? null]).filter(isObject)
}

/** An answer's record with the reference's ids, its arrays in their order; an id that is not known stays as text. */
export function toReference(model: RefModel, resource: RefResource, record: Json, ids: IdMap): Json {
  const changed = changeIds(model, resource, record, (key, id) =>
    isSideId(id) ? (ids.toReference(key, id) ?? `unknown ${id}`) : id,
  )
  return inOrder(model, resource, withoutParts(model, resource, changed, ids))
}

/** A record without the parts of ids, which only that side has. */
function withoutParts(model: RefModel, resource: RefResource, record: Json, ids: IdMap): Json {
  if (!isObject(record)) return record
  const shown: JsonObject = { ...record }
  for (const name of Object.keys(ids.kindOf(resource.key).fields)) delete shown[name]
  for (const { name, target } of resource.owns) {
    const value = own(record, name)
    const one = (item: Json): Json => withoutParts(model, resourceOf(model, target), item, ids)
    if (value !== undefined) shown[name] = Array.isArray(value) ? value.map(one) : one(value)
  }
  return shown
}

/** @throws Error if an array of records is not in order of id, and keeps no other. */
export function checkOrder(model: RefModel, resource: RefResource, record: Json): void {
  if (!isObject(record)) return
  for (const { name, target, order } of [...resource.owns, ...resource.links]) {
    const value = own(record, name)
    if (!Array.isArray(value)) continue
    const found = value.map((item) => (isObject(item) ? item.id : null) as SideId | null)
    if (order === undefined && found.some((id, index) => index > 0 && !isBehind(id, found[index - 1]))) {
      throw new Error(`${resource.key}.${name} is not in order of id: ${found.join(', ')}`)
    }
    if (resource.owns.some((owns) => owns.name === name)) {
      for (const item of value) checkOrder(model, resourceOf(model, target), item)
    }
  }
}

/** An array that keeps no order of its own is in that of the reference's ids. */
function inOrder(model: RefModel, resource: RefResource, record: Json): Json {
  if (!isObject(record)) return record
  const sorted: JsonObject = { ...record }
  const ordered = (items: readonly Json[], { order }: RefOwns | RefLink): Json[] => {
    return order === undefined ? byId(items) : [...items]
  }
  for (const owns of resource.owns) {
    const value = own(record, owns.name)
    const one = (item: Json): Json => inOrder(model, resourceOf(model, owns.target), item)
    if (value !== undefined) sorted[owns.name] = Array.isArray(value) ? ordered(value.map(one), owns) : one(value)
  }
  for (const link of resource.links) {
    const value = own(record, link.name)
    if (Array.isArray(value)) sorted[link.name] = ordered(value, link)
  }
  return sorted
}

function byId(items: readonly Json[]): Json[] {
  const id = (item: Json): number => (isObject(item) ? Number(item.id) : 0)
  return [...items].sort((a, b) => id(a) - id(b))
}

function isSideId(id: Json | undefined): id is SideId {
  return typeof id === 'number' || typeof id === 'string'
}

/** Integers, and strings of digits, by their size; others by their characters. */
function isBehind(id: SideId | null | undefined, before: SideId | null | undefined): boolean {
  const areNumbers = /^-?\d+$/.test(String(id)) && /^-?\d+$/.test(String(before))
  return areNumbers ? BigInt(String(id)) > BigInt(String(before)) : String(id) > String(before)
}
