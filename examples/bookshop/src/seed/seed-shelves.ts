import type { Shop } from '../shop.ts'
import type { Ids } from './seed-people.ts'
import { type Shelf, series, shelves, tags } from './shelves.ts'

/** A shelf and all that are below it go in as one body. */
function toBody(shelf: Shelf): { name: string; subcategories: ReturnType<typeof toBody>[] } {
  return { name: shelf.name, subcategories: (shelf.below ?? []).map(toBody) }
}

interface Node {
  readonly id: number
  readonly name: string
  readonly subcategories: readonly Node[]
}

function collect(node: Node, ids: Map<string, number>): void {
  ids.set(node.name, node.id)
  for (const below of node.subcategories) collect(below, ids)
}

export async function seedShelves(shop: Shop): Promise<Ids> {
  const ids = new Map<string, number>()
  for (const shelf of shelves) collect(await shop.resource('category').create(toBody(shelf)), ids)
  return ids
}

export async function seedSeries(shop: Shop): Promise<Ids> {
  const ids = new Map<string, number>()
  for (const one of series) ids.set(one.title, (await shop.resource('series').create(one)).id)
  return ids
}

export async function seedTags(shop: Shop): Promise<Ids> {
  const ids = new Map<string, number>()
  for (const label of tags) ids.set(label, (await shop.resource('tag').create({ label })).id)
  return ids
}
