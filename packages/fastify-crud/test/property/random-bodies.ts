import { MARK } from './hidden-marks.ts'
import type { Json, JsonObject } from './json.ts'
import { madeOf, plainText } from './random-fields.ts'
import {
  type RefField,
  type RefLink,
  type RefModel,
  type RefReference,
  type RefResource,
  resourceOf,
} from './reference-model.ts'
import { byId, childrenOf, linksOf, type Row, rowsOf, type State } from './reference-store.ts'
import type { Tape } from './tape.ts'

/** What bodies are made of: the present state to pick ids from, and the choices. */
export interface Maker {
  readonly model: RefModel
  readonly state: State
  readonly tape: Tape
  /** Values of unique keys that bodies of this request have taken. */
  readonly taken: Set<string>
  /** No other request has it. */
  readonly number: number
  /** How many values of the request stand in no other place. */
  marks: number
}

const DEEPEST = 3
const A_PAGE_AND_MORE = 23

/** No record ever has an id like this. */
export const NO_ID = 1_234_567

/** A body that makes a record, mostly right; `undefined` if something that it needs is not there. */
export function newBody(maker: Maker, resource: RefResource, depth = 1): JsonObject | undefined {
  const { model, tape } = maker
  const body: JsonObject = {}
  for (const field of resource.fields) {
    if (!field.readOnly && (field.required || tape.once(2))) body[field.name] = newValue(maker, resource, field)
  }
  for (const reference of resource.references) {
    const id = newTarget(maker, resource, reference)
    if (id === undefined && !reference.nullable) return undefined
    if (id !== undefined && (!reference.nullable || tape.once(2))) body[reference.foreignKey] = id
    else if (reference.nullable && tape.once(4)) body[reference.foreignKey] = null
    // Beside the foreign key, what is nested there may say anything.
    const nested = body[reference.foreignKey] === undefined ? [null] : [null, { id: NO_ID }, {}]
    if (tape.once(8)) body[reference.name] = tape.of<Json>(nested) ?? null
  }
  for (const link of resource.links) {
    const ids = newTargets(maker, link)
    if (ids.length === 0 && link.needs) return undefined
    if (ids.length > 0) body[link.name] = ids
  }
  for (const owns of resource.owns) {
    if (!owns.required && (depth >= DEEPEST || tape.upTo(4) === 0)) continue
    const count = owns.many ? (tape.once(40) ? A_PAGE_AND_MORE : tape.upTo(owns.order ? 7 : 4)) : 1
    const children: JsonObject[] = []
    for (let made = 0; made < count; made += 1) {
      const child = newBody(maker, resourceOf(model, owns.target), depth + 1)
      if (child !== undefined) children.push(owns.order && tape.once(12) ? placed(maker, child, []) : child)
    }
    const [first] = children
    if (owns.many) body[owns.name] = children
    else if (first !== undefined) body[owns.name] = !owns.required && tape.once(10) ? null : first
    else if (owns.required) return undefined
  }
  return body
}

/** A body that changes a few things of a record. */
export function patchBody(maker: Maker, resource: RefResource, row: Row, depth = 1): JsonObject {
  const { model, state, tape } = maker
  const body: JsonObject = {}
  for (const field of resource.fields) {
    if (field.readOnly || !tape.once(3)) continue
    const isAdded = isNumber(field) && field.viewers === undefined && tape.once(4)
    body[field.name] = isAdded ? { $add: tape.of(OPERANDS) ?? 1 } : newValue(maker, resource, field)
  }
  for (const reference of resource.references) {
    if (tape.once(8)) {
      const id = row.values[reference.foreignKey] ?? null
      body[reference.name] = id === null ? null : { id }
    }
    if (!tape.once(4)) continue
    const id = newTarget(maker, resource, reference)
    if (id !== undefined) body[reference.foreignKey] = reference.nullable && tape.once(3) ? null : id
  }
  for (const link of resource.links) {
    if (!tape.once(3)) continue
    const added = tape.once(5) ? [] : newTargets(maker, link)
    const linked = linksOf(state, link.table).flatMap((one) => (one[link.from] === row.id ? [one[link.to]] : []))
    const gone = tape.once(3) ? tape.some(linked, 2) : []
    const isAdded = (id: Json | undefined) => added.some((one) => one.id === id)
    const moved = link.order ? tape.some(linked, 3).filter((id) => !isAdded(id) && !gone.includes(id)) : []
    const ids = linked.map(Number)
    const withPlaces = [
      ...added.map((one) => (link.order && tape.once(3) ? placed(maker, one, ids) : one)),
      ...moved.map((id) => placed(maker, { id: Number(id) }, ids)),
    ]
    const removed = gone.flatMap((id): JsonObject[] => {
      const element = { id: Number(id), $remove: true }
      return isAdded(id) ? [] : [link.order && tape.once(20) ? placed(maker, element, ids) : element]
    })
    body[link.name] = link.order ? tape.shuffled([...withPlaces, ...removed]) : [...withPlaces, ...removed]
  }
  for (const owns of resource.owns) {
    if (depth > DEEPEST || tape.upTo(3) === 0) continue
    const target = resourceOf(model, owns.target)
    const present = childrenOf(state, row, owns)
    if (owns.many) {
      const ids = present.map(({ id }) => id)
      const mayBePlaced = (one: JsonObject) => (owns.order && tape.once(3) ? placed(maker, one, ids) : one)
      const known = tape.some(present, 3).map((child): JsonObject => {
        if (tape.once(5)) {
          const element = { id: child.id, $remove: true }
          return owns.order && tape.once(20) ? placed(maker, element, ids) : element
        }
        return mayBePlaced({ id: child.id, ...patchBody(maker, target, child, depth + 1) })
      })
      const fresh = Array.from({ length: tape.upTo(3) }, () => newBody(maker, target, depth + 1) ?? [])
      body[owns.name] = tape.shuffled([...known, ...fresh.flat().map(mayBePlaced)])
      continue
    }
    const [child] = present
    const id: JsonObject = child !== undefined && tape.once(2) ? { id: child.id } : {}
    const changed = child === undefined ? newBody(maker, target, depth + 1) : patchBody(maker, target, child, depth + 1)
    const isRemoved = !owns.required && tape.once(4)
    if (isRemoved || changed !== undefined) body[owns.name] = isRemoved ? null : { ...id, ...changed }
  }
  return body
}

/** A body with its place among elements of an array: mostly before one of these, or at the end. */
export function placed({ tape }: Maker, body: JsonObject, siblings: readonly number[]): JsonObject {
  const before = tape.once(12) ? NO_ID : (tape.of([...siblings, ...siblings, null]) ?? null)
  return { ...body, $before: before }
}

/** The body of a record itself that says its place, where such a record may have one. */
export function placedIn(maker: Maker, resource: RefResource, body: JsonObject, owner: Row['owner']): JsonObject {
  if (!resource.isPlaced || !maker.tape.once(3)) return body
  const siblings = [...rowsOf(maker.state, resource.key).values()].filter((row) => {
    return row.owner?.relation === owner?.relation && row.owner?.id === owner?.id
  })
  return placed(
    maker,
    body,
    siblings.map(({ id }) => id),
  )
}

/** What is added to numbers; some of it would take them out of their schemas' bounds, or is none. */
const OPERANDS: readonly Json[] = [1, -1, 3, 0, -50, 200, 0.5, '1', null, { $add: 1 }]

export function isNumber({ schema }: RefField): boolean {
  return schema.type === 'integer' || schema.type === 'number'
}

/** A value that fits a field; of a member of a unique key mostly one that is free. */
export function newValue(maker: Maker, resource: RefResource, field: RefField): Json {
  const { tape, taken, state } = maker
  if (field.nullable && tape.once(5)) return null
  const { kind } = madeOf(field.schema)
  if (kind.numbered === undefined || !isMember(resource, field.name)) {
    if (kind !== plainText || !tape.once(3)) return tape.of(kind.values) ?? null
    maker.marks += 1
    return `${MARK} ${maker.number}.${maker.marks}.`
  }
  const start = tape.upTo(8)
  if (tape.once(8)) return kind.numbered(start)
  const stored = new Set([...rowsOf(state, resource.key).values()].map((row) => row.values[field.name]))
  for (let number = start; number < start + 20; number += 1) {
    const value = kind.numbered(number)
    const key = `${resource.key} ${field.name} ${JSON.stringify(value)}`
    if (stored.has(value) || taken.has(key)) continue
    taken.add(key)
    return value
  }
  return kind.numbered(start)
}

/** The id of a record that a reference may name; where it must be unique, mostly one that is free. */
export function newTarget(maker: Maker, resource: RefResource, reference: RefReference): number | undefined {
  const { state, tape, taken } = maker
  const ids = [...rowsOf(state, reference.target).keys()]
  if (!isMember(resource, reference.name) || tape.once(8)) return tape.of(ids)
  const stored = new Set([...rowsOf(state, resource.key).values()].map((row) => row.values[reference.foreignKey]))
  const key = (id: number): string => `${resource.key} ${reference.name} ${id}`
  const id = tape.of(ids.filter((one) => !stored.has(one) && !taken.has(key(one)))) ?? tape.of(ids)
  if (id !== undefined) taken.add(key(id))
  return id
}

/** Elements of an array of ids: at least one where they are needed, if there is one. */
export function newTargets(maker: Maker, link: RefLink): JsonObject[] {
  const { state, tape, taken } = maker
  const rows = byId(rowsOf(state, link.target).values())
  const served = new Set(linksOf(state, link.table).map((one) => Number(one[link.to])))
  const key = (id: number): string => `${link.table} ${id}`
  const free = link.exclusive && !tape.once(8) ? rows.filter(({ id }) => !served.has(id) && !taken.has(key(id))) : rows
  const some = tape.some(free, 4)
  const one = some.length === 0 && link.needs ? (tape.of(free) ?? tape.of(rows)) : undefined
  const chosen = one === undefined ? some : [one]
  for (const { id } of chosen) taken.add(key(id))
  return tape.shuffled(chosen).map(({ id }) => ({ id }))
}

/** Whether a field or relation is part of a unique key. */
function isMember(resource: RefResource, name: string): boolean {
  return resource.uniques.some(({ names }) => names.includes(name))
}
