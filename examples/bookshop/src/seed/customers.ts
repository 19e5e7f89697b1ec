import { amountOf } from '../amount-of.ts'
import type { Draw } from './draw.ts'

const givenNames = [
  'Rosa',
  'Amir',
  'Hazel',
  'Matteo',
  'Ingrid',
  'Kwame',
  'Sunniva',
  'Declan',
  'Yuki',
  'Odile',
  'Bram',
  'Farah',
]
const familyNames = [
  'Lindqvist',
  'Bello',
  'Whitcombe',
  'Ferrante',
  'Solberg',
  'Adeyemi',
  'Prior',
  'Gallagher',
  'Mori',
  'Tessier',
]

/** Thirty people who buy books. */
export function drawCustomers(draw: Draw) {
  return Array.from({ length: 30 }, (_, index) => {
    const given = givenNames[index % givenNames.length] as string
    const family = familyNames[index % familyNames.length] as string
    return {
      name: `${given} ${family}`,
      email: `${given}.${family}@post.example`.toLowerCase(),
      newsletter: draw.below(3) > 0,
      preferences: draw.below(2) === 0 ? null : { giftWrap: draw.below(4) === 0, contact: ['email' as const] },
    }
  })
}

const statuses = ['sent', 'sent', 'sent', 'paid', 'open', 'returned'] as const
const giftNotes = [
  'Happy birthday, Nan!',
  'With love from all of us on the third floor.',
  'You left yours on the train.',
]

/** One order: when, in what state, and how many of which books. */
export function drawOrder(draw: Draw, books: readonly { id: number; price: string }[]) {
  const day = new Date(Date.UTC(2026, 0, 2, 8) + draw.below(300 * 24 * 60 * 60) * 1000)
  const lines = draw.some(books, 1 + draw.below(4))
  const placedAt = day.toISOString().replace('.000', '')
  return {
    placedAt,
    createdAt: placedAt,
    updatedAt: placedAt,
    status: draw.one(statuses),
    giftNote: draw.below(6) === 0 ? draw.one(giftNotes) : null,
    lines: lines.map(({ id, price }) => {
      const quantity = 1 + draw.below(3)
      return { bookId: id, quantity, unitPrice: price, amount: amountOf(quantity, price) }
    }),
  }
}
