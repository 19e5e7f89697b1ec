import type { Json } from './json.ts'
import {
  type RefLink,
  type RefModel,
  type RefOrder,
  type RefOwns,
  type RefResource,
  resourceOf,
} from './reference-model.ts'

/** A record as the reference keeps it: its fields and foreign keys by name, and its owner apart. */
export interface Row {
  readonly id: number
  readonly values: Record<string, Json>
  readonly owner: Owner | undefined
}

export interface Owner {
  /** The `ownedBy` relation that names the owner. */
  readonly relation: string
  readonly id: number
}

/** Everything that is stored. Plain data: `structuredClone` makes a copy to work on. */
export interface State {
  /** Rows by resource, by id. */
  readonly rows: Map<string, Map<number, Row>>
  /** Link rows by table; each names its two records by column. */
  readonly links: Map<string, Record<string, number>[]>
  /** The highest id that each resource ever had. */
  readonly lastId: Map<string, number>
  /** The ids of the elements of arrays that keep their order, by the array and the record whose array it is. */
  readonly orders: Map<string, number[]>
  /** The number of the write that was the last one to change the order. */
  readonly arranged: Map<string, number>
  /** Deleted records by resource, by id, as they were: of resources that keep these. */
  readonly deleted: Map<string, Map<number, DeletedRow>>
  /** The number of the last write that has deleted some, or has changed an order. */
  moment: number
}

export interface DeletedRow extends Row {
  /** The number of the write that has deleted it, and what it owned. */
  readonly moment: number
}

/** `keeps`: the resources with `softDelete`. */
export function emptyState(model: RefModel, keeps: readonly string[] = []): State {
  const deleted = new Map(keeps.map((key) => [key, new Map<number, DeletedRow>()]))
  const state: State = {
    rows: new Map(),
    links: new Map(),
    lastId: new Map(),
    orders: new Map(),
    arranged: new Map(),
    deleted,
    moment: 0,
  }
  for (const resource of model.resources.values()) {
    state.rows.set(resource.key, new Map())
    state.lastId.set(resource.key, 0)
    for (const link of resource.links) state.links.set(link.table, [])
  }
  return state
}

export function rowsOf(state: State, key: string): Map<number, Row> {
  const rows = state.rows.get(key)
  if (rows === undefined) throw new Error(`no rows of ${key}`)
  return rows
}

export function linksOf(state: State, table: string): Record<string, number>[] {
  const links = state.links.get(table)
  if (links === undefined) throw new Error(`no link table ${table}`)
  return links
}

export function byId<Item extends { readonly id: number }>(items: Iterable<Item>): Item[] {
  return [...items].sort((a, b) => a.id - b.id)
}

/** Whether a record has the id, or had it and keeps it. */
export function isTaken(state: State, key: string, id: number): boolean {
  return rowsOf(state, key).has(id) || state.deleted.get(key)?.has(id) === true
}

/** Whether a deleted record keeps the id that one of that owner has to have. */
export function isOwnersIdKept(state: State, { key, isOwnersId }: RefResource, owner: Owner | undefined): boolean {
  const kept = isOwnersId ? [...(state.deleted.get(key)?.values() ?? [])] : []
  return kept.some((row) => row.owner?.relation === owner?.relation && row.owner?.id === owner?.id)
}

/** Adds a row without values, under the next id or the given one. */
export function addRow(state: State, key: string, owner: Owner | undefined, id?: number): Row {
  const last = state.lastId.get(key) ?? 0
  const row: Row = { id: id ?? last + 1, values: {}, owner }
  state.lastId.set(key, Math.max(last, row.id))
  rowsOf(state, key).set(row.id, row)
  return row
}

/** The records that `row` owns through one relation, in their order. */
export function childrenOf(state: State, row: Row, owns: RefOwns): Row[] {
  const all = rowsOf(state, owns.target).values()
  const children = [...all].filter((child) => child.owner?.relation === owns.inverse && child.owner.id === row.id)
  return inOrder(state, owns.order, row.id, children)
}

/** The ids of the records to which `row` has links, in their order. */
export function linkedTo(state: State, row: Row, { table, from, to, order }: RefLink): number[] {
  const linked = linksOf(state, table).filter((link) => link[from] === row.id)
  const ids = linked.map((link) => ({ id: Number(link[to]) }))
  return inOrder(state, order, row.id, ids).map(({ id }) => id)
}

/** The elements of a record's array: in the order that it keeps, or in that of their ids. */
export function inOrder<Item extends { readonly id: number }>(
  { orders }: State,
  order: RefOrder | undefined,
  owner: number,
  items: readonly Item[],
): Item[] {
  if (order === undefined) return byId(items)
  const ids = orders.get(`${order.key} ${owner}`) ?? []
  return ids.flatMap((id) => items.find((item) => item.id === id) ?? [])
}

/** Removes a record and everything that it owns, to any depth; foreign keys and links to them are left for later. */
export function removeTree(model: RefModel, state: State, resource: RefResource, row: Row): void {
  for (const owns of resource.owns) {
    for (const child of childrenOf(state, row, owns)) removeTree(model, state, resourceOf(model, owns.target), child)
  }
  rowsOf(state, resource.key).delete(row.id)
  state.deleted.get(resource.key)?.set(row.id, { ...row, moment: state.moment + 1 })
}
