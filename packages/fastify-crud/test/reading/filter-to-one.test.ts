import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectCondition, titlesWhere } from './support/conditions.ts'
import { idOf } from './support/fill-books.ts'
import { jsonFilter } from './support/spellings.ts'
import { expectTitles, useBooks } from './support/use-books.ts'

describeOnBoth('a path through relations to one record, in a filter,', (database) => {
  const books = useBooks(database)

  test('is a value of the record that is needed, known or owned', async () => {
    await expectCondition(books, 'publisher.name', 'eq', 'Paper', ['Cedar', 'Dogwood', 'Elder'])
    await expectCondition(books, 'series.name', 'eq', 'Dunes', ['Amber', 'Birch', 'Elder'])
    await expectCondition(books, 'cover.color', 'in', ['red', 'green'], ['Amber', 'Hazel'])
    await expectCondition(books, 'prequel.price', 'gte', 10, ['Elder', 'Gorse'])
    await expectCondition(
      books,
      'publisher.city',
      'startsWith',
      'B',
      titlesWhere(({ publisher }) => publisher === 'Ink'),
    )
  })

  test('may go through several', async () => {
    await expectCondition(books, 'prequel.prequel.title', 'eq', 'Amber', ['Gorse'])
    await expectCondition(books, 'prequel.publisher.name', 'eq', 'Ink', ['Birch', 'Gorse'])
    await expectCondition(books, 'prequel.prequel.series.name', 'eq', 'Dunes', ['Gorse'])
    await expectCondition(books, 'prequel.cover.color', 'eq', 'blue', ['Elder'])
  })

  test('is null if there is no record', async () => {
    await expectCondition(books, 'series.name', 'null', true, ['Cedar', 'Fir', 'Hazel'])
    await expectCondition(books, 'series.name', 'null', false, ['Amber', 'Birch', 'Dogwood', 'Elder', 'Gorse'])
    await expectCondition(books, 'series.name', 'ne', 'Dunes', ['Cedar', 'Dogwood', 'Fir', 'Gorse', 'Hazel'])
    await expectCondition(books, 'series.name', 'nin', ['Dunes', 'Moors'], ['Cedar', 'Fir', 'Hazel'])
    const noRed = ['Birch', 'Cedar', 'Dogwood', 'Elder', 'Fir', 'Gorse']
    await expectTitles(books, jsonFilter({ not: { 'cover.color': 'red' } }), noRed)
    await expectCondition(books, 'cover.color', 'null', true, ['Birch', 'Cedar', 'Elder', 'Fir', 'Gorse'])
    await expectCondition(books, 'prequel.series.name', 'null', true, ['Amber', 'Cedar', 'Dogwood', 'Fir', 'Hazel'])
    await expectCondition(books, 'prequel.id', 'null', false, ['Birch', 'Elder', 'Gorse'])
  })

  test('may stand beside other conditions', async () => {
    const either = { or: [{ price: { lt: 5 } }, { 'publisher.name': 'Paper' }] }
    await expectTitles(books, jsonFilter(either), ['Cedar', 'Dogwood', 'Elder', 'Fir', 'Hazel'])
    await expectTitles(books, 'filter[publisher.name]=Ink&filter[series.name]=Dunes&filter[price]=5', ['Amber'])
  })

  test('does not change what the rows look like', async () => {
    const { rows } = await books.service.read('/api/book?filter[series.name]=Moors&filter[publisher.name]=Ink')
    expect(rows).toEqual([await books.service.read(`/api/book/${idOf(books.ids.book, 'Gorse')}`)])
  })

  test('is 400 if it ends in a relation', async () => {
    for (const path of ['publisher', 'series', 'cover', 'prequel.publisher', 'authors', 'chapters.remarks']) {
      await books.refused(`filter[${path}]=1`, path.split('.').at(-1) as string)
      await books.refused(jsonFilter({ [path]: 1 }), path.split('.').at(-1) as string)
    }
  })
})
