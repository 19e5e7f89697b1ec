import type { Shop } from '../shop.ts'
import { authors } from './authors.ts'
import { publishers } from './publishers.ts'

/** Ids by the names that the lists of this folder use. */
export type Ids = ReadonlyMap<string, number>

export async function seedPublishers(shop: Shop): Promise<Ids> {
  const ids = new Map<string, number>()
  for (const publisher of publishers) {
    const { id, offices } = await shop.resource('publisher').create(publisher)
    // The headquarters is one of the offices, so it has no id before these are there.
    await shop.resource('publisher').patch(id, { headquartersId: offices[0]?.id ?? null })
    ids.set(publisher.name, id)
  }
  return ids
}

export async function seedAuthors(shop: Shop): Promise<Ids> {
  const ids = new Map<string, number>()
  for (const author of authors) ids.set(author.name, (await shop.resource('author').create(author)).id)
  return ids
}
