import { test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { allTitles, bookRows } from './support/book-rows.ts'
import { expectCondition, titlesWhere } from './support/conditions.ts'
import { jsonFilter } from './support/spellings.ts'
import { expectTitles, useBooks } from './support/use-books.ts'

describeOnBoth('a condition on a field that may be null', (database) => {
  const books = useBooks(database)
  const fields = ['price', 'pages', 'soldAt', 'publishedOn', 'state', 'isNew', 'comment'] as const

  test('tells values from null with the operator null, for each type', async () => {
    for (const field of fields) {
      await expectCondition(
        books,
        field,
        'null',
        true,
        titlesWhere((book) => book[field] === null),
      )
      await expectCondition(
        books,
        field,
        'null',
        false,
        titlesWhere((book) => book[field] !== null),
      )
    }
    await expectCondition(books, 'title', 'null', true, [])
    await expectCondition(books, 'title', 'null', false, allTitles)
  })

  test('is negated by `not`: what does not match it matches then, null too', async () => {
    for (const filter of [
      { price: 10 },
      { price: { ne: 10 } },
      { price: { gte: 10 } },
      { price: { in: [5, 10] } },
      { price: { nin: [5, 10] } },
      { price: { null: true } },
      { isNew: true },
      { comment: { contains: 'a' } },
      { comment: { startsWith: '' } },
      { state: { lt: 'lost' } },
      { soldAt: { lt: '2026-01-01T12:00:00Z' } },
      { publishedOn: '2026-01-01' },
      { 'size.width': { lt: 10 } },
      { 'size.paper.color': 'red' },
      { price: 10, isNew: true },
      { or: [{ price: 10 }, { isNew: false }] },
      { and: [{ pages: { gt: 100 } }, { not: { isNew: true } }] },
    ]) {
      const matching = await books.titles(jsonFilter(filter))
      const others = allTitles.filter((title) => !matching.includes(title))
      await expectTitles(books, jsonFilter({ not: filter }), others)
      await expectTitles(books, jsonFilter({ not: { not: filter } }), matching)
      await expectTitles(books, jsonFilter({ or: [filter, { not: filter }] }), allTitles)
      await expectTitles(books, jsonFilter({ and: [filter, { not: filter }] }), [])
    }
  })

  test('is joined with others by `and` and `or`, in any nesting', async () => {
    const filter = { or: [{ price: { lt: 0 } }, { and: [{ isNew: true }, { or: [{ pages: 100 }, { price: 12 }] }] }] }
    await expectTitles(books, jsonFilter(filter), ['Amber', 'Gorse', 'Hazel'])
    const beside = { ...filter, title: { ne: 'Amber' }, not: { publishedOn: '2026-01-01' } }
    await expectTitles(books, jsonFilter(beside), ['Gorse'])
    const either = jsonFilter({ or: [{ price: 5 }, { title: 'Fir', price: 0 }, { title: 'Elder', price: 0 }] })
    await expectTitles(books, either, ['Amber', 'Fir'])
    await expectTitles(books, jsonFilter({ or: bookRows.map(({ title }) => ({ title })) }), allTitles)
  })
})
