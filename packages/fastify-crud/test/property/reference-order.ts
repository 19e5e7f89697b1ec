import { isDeepStrictEqual } from 'node:util'
import { below, type Json } from './json.ts'
import {
  type RefLink,
  type RefModel,
  type RefOrder,
  type RefOwns,
  type RefResource,
  resourceOf,
} from './reference-model.ts'
import { type DeletedRow, linksOf, rowsOf, type State } from './reference-store.ts'
import type { Write } from './reference-write.ts'

/** What a write says of the order of one record's array. */
export interface Arranged {
  readonly array: ArrayInOrder
  /** The record whose array it is. */
  readonly owner: number
  /** All elements, as a PUT lists them; undefined: those that are there stay where they are. */
  listed: readonly number[] | undefined
  /** One after the other. `before`: undefined for a new element that comes to the end. */
  readonly placed: { readonly id: number; readonly before: Json | undefined; readonly at: string }[]
  /** Where the body says another order, or a place: this is a change of the owner. */
  readonly places: string[]
}

export interface ArrayInOrder {
  readonly order: RefOrder
  /** Of the owner. */
  readonly source: string
  /** Of the elements. */
  readonly target: string
}

/** The array of what a record owns; undefined if it keeps no order. */
export function arrayOf(source: string, { order, target }: RefOwns | RefLink): ArrayInOrder | undefined {
  return order && { order, source, target }
}

/** The array that a link stands in at its other end; undefined if that keeps no order. */
export function otherArrayOf(source: string, { otherOrder, target }: RefLink): ArrayInOrder | undefined {
  return otherOrder && { order: otherOrder, source: target, target: source }
}

function arrangedOf({ arranged }: Write, array: ArrayInOrder, owner: number): Arranged {
  const known = arranged.find((one) => one.array.order.key === array.order.key && one.owner === owner)
  if (known !== undefined) return known
  const fresh: Arranged = { array, owner, listed: undefined, placed: [], places: [] }
  arranged.push(fresh)
  return fresh
}

/** Notes the place of a new element, or of one whose body says another. `at`: where the body has the element. */
export function place(
  write: Write,
  array: ArrayInOrder | undefined,
  owner: number,
  id: number,
  before: Json | undefined,
  at: string,
): void {
  if (array === undefined) return
  const arranged = arrangedOf(write, array, owner)
  arranged.placed.push({ id, before, at: below(at, '$before') })
  if (before !== undefined) arranged.places.push(below(at, '$before'))
}

/** Notes the order of a whole array, as a PUT has it. */
export function list(
  write: Write,
  array: ArrayInOrder | undefined,
  owner: number,
  ids: readonly number[],
  at: string,
): void {
  if (array === undefined) return
  const shown = elementsOf(write.before, array.order, owner).filter((id) => rowsOf(write.seen, array.target).has(id))
  const stay = shown.filter((id) => ids.includes(id))
  if (stay.every((id, index) => ids[index] === id)) return
  const arranged = arrangedOf(write, array, owner)
  arranged.listed = ids
  arranged.places.push(at)
}

/** The elements of an array in their order, those whose records are only kept among them. */
export function elementsOf({ orders }: State, { key }: RefOrder, owner: number): readonly number[] {
  return orders.get(`${key} ${owner}`) ?? []
}

function setElements({ orders }: State, { key }: RefOrder, owner: number, ids: readonly number[]): void {
  if (ids.length === 0) orders.delete(`${key} ${owner}`)
  else orders.set(`${key} ${owner}`, [...ids])
}

/** Gives all arrays the order that the write says. Adds the places that name no element to `unknown`. */
export function arrangeAll(write: Write): void {
  for (const one of write.arranged) arrange(write, one)
}

/**
 * An array is a row of groups: an element that the caller sees, and behind it the hidden ones that follow it. A place moves
 * a group.
 */
function arrange(write: Write, { array, owner, listed, placed }: Arranged): void {
  const { state, before } = write
  const isHidden = (id: number) => rowsOf(before, array.target).has(id) && !rowsOf(write.seen, array.target).has(id)
  const all = elementsOf(state, array.order, owner)
  const present = all.filter((id) => isElement(write.model, state, array, owner, id))
  const groups: number[][] = [[]]
  for (const id of present) {
    if (isHidden(id)) groups.at(-1)?.push(id)
    else groups.push([id])
  }

  const [front = [], ...shown] = groups
  const groupOf = (id: number) => shown.find(([first]) => first === id)
  let moved = listed === undefined ? shown : listed.map((id) => groupOf(id) ?? [id])
  for (const { id, before: sibling, at } of placed) {
    const known = moved.find(([first]) => first === id)
    if (known !== undefined && sibling === undefined) continue
    moved = moved.filter((group) => group !== known)
    const index = moved.findIndex(([first]) => first === sibling)
    if (index === -1 && typeof sibling === 'number') write.unknown.add(at)
    moved.splice(index === -1 ? moved.length : index, 0, known ?? [id])
  }
  const after = [...front, ...moved.flat()]
  const result = withKept(all, present, after)
  if (isDeepStrictEqual(result, all)) return
  setElements(state, array.order, owner, result)
  state.arranged.set(`${array.order.key} ${owner}`, state.moment + 1)
}

/** The array in which a deleted record stood, if its order was changed since: nothing says where it comes back to. */
export function unsureArray(
  state: State,
  resource: RefResource,
  { owner, moment }: DeletedRow,
  model: RefModel,
): Unsure | undefined {
  const by = resource.owners.find(({ name }) => name === owner?.relation)
  const owns = by && resourceOf(model, by.target).owns.find((one) => isInverse(one, resource, by.name))
  if (owner === undefined || by === undefined || owns?.order === undefined) return undefined
  const isSure = (state.arranged.get(`${owns.order.key} ${owner.id}`) ?? 0) < moment
  return isSure ? undefined : { source: by.target, owns, order: owns.order, owner: owner.id }
}

export interface Unsure {
  readonly source: string
  readonly owns: RefOwns
  readonly order: RefOrder
  readonly owner: number
}

/**
 * Takes the order of an array from a service, where a record came back to a place of its own.
 *
 * @throws Error if others have changed their places.
 */
export function learnOrder(state: State, { order, owner }: Unsure, back: number, ids: readonly number[]): void {
  const known = elementsOf(state, order, owner)
  const others = (all: readonly number[]) => all.filter((id) => id !== back && ids.includes(id))
  if (!isDeepStrictEqual(others(known), others(ids))) throw new Error(`expected the order ${others(known)}, not ${ids}`)
  const before = ids[ids.indexOf(back) - 1]
  const rest = known.filter((id) => id !== back)
  setElements(state, order, owner, rest.toSpliced(before === undefined ? 0 : rest.indexOf(before) + 1, 0, back))
}

/** Whether a relation to owned records is the other side of one to the owner. */
export function isInverse({ target, inverse }: RefOwns, { key }: RefResource, name: string): boolean {
  return target === key && inverse === name
}

/** Elements whose records are only kept stay behind the one that they followed. */
function withKept(all: readonly number[], present: readonly number[], after: readonly number[]): readonly number[] {
  const kept = new Map<number | undefined, number[]>()
  let last: number | undefined
  for (const id of all) {
    if (present.includes(id)) last = id
    else if (!after.includes(id)) kept.set(last, [...(kept.get(last) ?? []), id])
  }
  return [...(kept.get(undefined) ?? []), ...after.flatMap((id) => [id, ...(kept.get(id) ?? [])])]
}

function isElement(model: RefModel, state: State, { order, source, target }: ArrayInOrder, owner: number, id: number) {
  const row = rowsOf(state, target).get(id)
  const owns = resourceOf(model, source).owns.find((one) => one.order?.key === order.key)
  if (owns !== undefined) return row?.owner?.relation === owns.inverse && row.owner.id === owner
  if (order.link === undefined) throw new Error(`${order.key} is the order of no array`)
  const { table, from, to } = order.link
  return row !== undefined && linksOf(state, table).some((link) => link[from] === owner && link[to] === id)
}

/** Takes what is gone out of all arrays. */
export function forgetGone(model: RefModel, state: State): void {
  for (const { key: source, owns, links } of model.resources.values()) {
    const ofOwned = owns.flatMap((one) => arrayOf(source, one) ?? [])
    const ofLinks = links.flatMap((one) => arrayOf(source, one) ?? [])
    for (const array of [...ofOwned, ...ofLinks]) forgetGoneFrom(model, state, array)
  }
}

function forgetGoneFrom(model: RefModel, state: State, array: ArrayInOrder): void {
  const { order, target } = array
  const isKept = (id: number) => order.link === undefined && state.deleted.get(target)?.has(id) === true
  for (const place of [...state.orders.keys()].filter((one) => one.startsWith(`${order.key} `))) {
    const owner = Number(place.slice(order.key.length + 1))
    const stay = elementsOf(state, order, owner).filter((id) => {
      return isKept(id) || isElement(model, state, array, owner, id)
    })
    setElements(state, order, owner, stay)
  }
}
