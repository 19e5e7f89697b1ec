import type { Shop } from '../shop.ts'
import { drawCustomers, drawOrder } from './customers.ts'
import { drawFrom } from './draw.ts'
import { idOf } from './seed-books.ts'
import type { Ids } from './seed-people.ts'
import { boxSets, contracts } from './trade.ts'

export async function seedContracts(shop: Shop, books: Ids): Promise<void> {
  for (const { book, ...contract } of contracts) {
    await shop.resource('contract').create({ currency: 'GBP', ...contract, bookId: idOf(books, book) })
  }
  for (const { volumes, ...box } of boxSets) {
    await shop.resource('boxSet').create({ ...box, volumes: volumes.map((title) => ({ id: idOf(books, title) })) })
  }
}

/** Two customers have not bought anything yet, and two books have not been sold: they can be deleted. */
export async function seedCustomers(shop: Shop): Promise<void> {
  const draw = drawFrom(1921)
  const { rows } = await shop.resource('book').list({ limit: 100 })
  const sold = rows.slice(0, -2)
  const buyers: number[] = []
  for (const customer of drawCustomers(draw)) {
    const wishes = draw.some(rows, draw.below(4)).map(({ id }) => ({ id }))
    buyers.push((await shop.resource('customer').create({ ...customer, wishes })).id)
  }
  for (let count = 0; count < 75; count += 1) {
    const customerId = draw.one(buyers.slice(0, -2))
    await shop.resource('order').create({ ...drawOrder(draw, sold), customerId })
  }
}
