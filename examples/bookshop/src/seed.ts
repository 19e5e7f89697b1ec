import { seedBooks } from './seed/seed-books.ts'
import { seedAuthors, seedPublishers } from './seed/seed-people.ts'
import { seedSeries, seedShelves, seedTags } from './seed/seed-shelves.ts'
import { seedContracts, seedCustomers } from './seed/seed-trade.ts'
import type { Shop } from './shop.ts'

/**
 * Fills an empty database, through the same store that the routes use: what does not fit the model does not get in.
 * Resolves to whether there was anything to do.
 */
export async function seed(shop: Shop): Promise<boolean> {
  const { count } = await shop.resource('publisher').list({ limit: 1 })
  if (count > 0) return false
  const publishers = await seedPublishers(shop)
  const authors = await seedAuthors(shop)
  const shelves = await seedShelves(shop)
  const series = await seedSeries(shop)
  const tags = await seedTags(shop)
  const books = await seedBooks(shop, { publishers, authors, series, shelves, tags })
  await seedContracts(shop, books)
  await seedCustomers(shop)
  return true
}
