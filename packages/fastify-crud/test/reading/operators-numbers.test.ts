import { test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectCondition, titlesWhere } from './support/conditions.ts'
import { idOf } from './support/fill-books.ts'
import { jsonFilter, spellings } from './support/spellings.ts'
import { expectTitles, useBooks } from './support/use-books.ts'

describeOnBoth('a condition on a number', (database) => {
  const books = useBooks(database)
  const comparisons = {
    eq: (a: number, b: number) => a === b,
    lt: (a: number, b: number) => a < b,
    lte: (a: number, b: number) => a <= b,
    gt: (a: number, b: number) => a > b,
    gte: (a: number, b: number) => a >= b,
  }

  for (const [operator, compare] of Object.entries(comparisons)) {
    test(`compares by value, and null matches nothing: ${operator}`, async () => {
      for (const value of [-3.25, 0, 9.99, 10, 12.5, 1e6]) {
        const prices = titlesWhere(({ price }) => price !== null && compare(price, value))
        await expectCondition(books, 'price', operator, value, prices)
      }
      // As text, 1000 comes before 200.
      for (const value of [0, 100, 200, 1000]) {
        const pages = titlesWhere(({ pages }) => pages !== null && compare(pages, value))
        await expectCondition(books, 'pages', operator, value, pages)
      }
    })
  }

  test('matches all other values and null with ne and nin', async () => {
    await expectCondition(
      books,
      'price',
      'ne',
      10,
      titlesWhere(({ price }) => price !== 10),
    )
    await expectCondition(
      books,
      'price',
      'nin',
      [10, 5, 7],
      titlesWhere(({ price }) => price !== 10 && price !== 5),
    )
  })

  test('matches each value of a list with in', () =>
    expectCondition(books, 'price', 'in', [0, -3.25, 7, 0], ['Fir', 'Hazel']))

  test('may be on an id and on a foreign key', async () => {
    const [fir, ink] = [idOf(books.ids.book, 'Fir'), idOf(books.ids.publisher, 'Ink')]
    await expectCondition(books, 'id', 'eq', fir, ['Fir'])
    await expectCondition(books, 'id', 'gte', fir, ['Fir', 'Gorse', 'Hazel'])
    await expectCondition(books, 'id', 'in', [fir, 999_999], ['Fir'])
    await expectCondition(
      books,
      'publisherId',
      'eq',
      ink,
      titlesWhere(({ publisher }) => publisher === 'Ink'),
    )
    await expectCondition(
      books,
      'seriesId',
      'null',
      true,
      titlesWhere(({ series }) => series === null),
    )
    await expectCondition(
      books,
      'seriesId',
      'ne',
      idOf(books.ids.series, 'Moors'),
      titlesWhere(({ series }) => series !== 'Moors'),
    )
    await expectTitles(books, `filter[id]=${fir}`, ['Fir'])
    await expectTitles(books, jsonFilter({ 'publisher.id': ink, id: { lt: fir } }), ['Amber', 'Birch'])
  })

  test('has no operators of strings', async () => {
    for (const field of ['price', 'pages', 'isNew', 'id', 'publisherId']) {
      for (const operator of ['contains', 'startsWith', 'endsWith', 'icontains', 'istartsWith']) {
        for (const query of spellings(field, operator, '1')) await books.refused(query, operator)
      }
    }
  })
})

describeOnBoth('a condition on a boolean', (database) => {
  const books = useBooks(database)

  test('matches true, false, or null', async () => {
    for (const value of [true, false]) {
      await expectCondition(
        books,
        'isNew',
        'eq',
        value,
        titlesWhere(({ isNew }) => isNew === value),
      )
      await expectCondition(
        books,
        'isNew',
        'ne',
        value,
        titlesWhere(({ isNew }) => isNew !== value),
      )
    }
    await expectCondition(books, 'isNew', 'null', true, ['Cedar', 'Fir'])
    await expectCondition(
      books,
      'isNew',
      'in',
      [true, false],
      titlesWhere(({ isNew }) => isNew !== null),
    )
    await expectCondition(books, 'isNew', 'nin', [true, false], ['Cedar', 'Fir'])
  })
})
