import type { Shop } from '../shop.ts'

/** Paths of some records that are there now, for the links and commands of the page. */
export type Samples = Awaited<ReturnType<typeof findSamples>>

/** Looks for records that have something to show; a path is left out where there is no such record. */
export async function findSamples(shop: Shop) {
  const [books, authors, publishers, categories, boxSets, orders, openOrders] = await Promise.all([
    shop.resource('book').list({ limit: 20 }),
    shop.resource('author').list({ limit: 20 }),
    shop.resource('publisher').list({ limit: 20 }),
    shop.resource('category').list({ limit: 20 }),
    shop.resource('boxSet').list({ limit: 1 }),
    shop.resource('order').list({ limit: 20 }),
    shop.resource('order').list({ filter: { status: 'open' }, limit: 1 }),
  ])
  const book = books.rows.find((one) => one.chapters.some((chapter) => chapter.footnotes.length > 0)) ?? books.rows[0]
  const chapter = book?.chapters.find((one) => one.footnotes.length > 0) ?? book?.chapters[0]
  const related = books.rows.find((one) => one.related.length > 0)
  const author = authors.rows.find((one) => one.portrait !== null)
  const publisher = publishers.rows.find((one) => one.warehouses.length > 0) ?? publishers.rows[0]
  const category = categories.rows.find((one) => one.subcategories.length > 0)
  const [order] = orders.rows
  return {
    book,
    order,
    openOrder: openOrders.rows[0],
    orderOfAnother: orders.rows.find(({ customerId }) => customerId !== order?.customerId),
    paths: {
      book: book && `/api/book/${book.id}`,
      cover: book && `/api/book/${book.id}/cover`,
      chapters: book && `/api/book/${book.id}/chapter`,
      footnotes: book && chapter && `/api/book/${book.id}/chapter/${chapter.id}/footnote`,
      related: related && `/api/book/${related.id}`,
      portrait: author && `/api/author/${author.id}/portrait`,
      offices: publisher && `/api/publisher/${publisher.id}/offices`,
      warehouses: publisher && `/api/publisher/${publisher.id}/warehouses`,
      publisher: publisher && `/api/publisher/${publisher.id}`,
      subcategories: category && `/api/category/${category.id}/category`,
      boxSet: boxSets.rows[0] && `/api/box-set/${boxSets.rows[0].id}`,
    },
  }
}
