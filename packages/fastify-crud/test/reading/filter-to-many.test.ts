import { test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { allTitles } from './support/book-rows.ts'
import { expectCondition } from './support/conditions.ts'
import { asQuery, jsonFilter } from './support/spellings.ts'
import { expectTitles, useBooks } from './support/use-books.ts'

const withChapters = allTitles.filter((title) => title !== 'Cedar' && title !== 'Fir')

describeOnBoth('a path through relations to many records, in a filter,', (database) => {
  const books = useBooks(database)

  test('means some of them, each once', async () => {
    await expectCondition(books, 'chapters.title', 'eq', 'Start', ['Amber', 'Birch', 'Elder', 'Hazel'])
    await expectCondition(books, 'authors.name', 'in', ['Bo', 'Cy'], ['Birch', 'Cedar', 'Elder', 'Gorse', 'Hazel'])
    await expectCondition(books, 'tags.name', 'startsWith', 'gr', ['Elder', 'Fir'])
    await expectCondition(books, 'chapters.place', 'gte', 2, ['Amber', 'Birch', 'Elder', 'Gorse'])
  })

  test('may go through several, to one and to many', async () => {
    await expectCondition(books, 'chapters.remarks.text', 'eq', 'why', ['Amber', 'Dogwood', 'Elder'])
    await expectCondition(books, 'chapters.translator.name', 'eq', 'Bo', ['Amber'])
    await expectCondition(books, 'prequel.tags.name', 'eq', 'blue', ['Birch', 'Elder'])
    await expectCondition(books, 'prequel.chapters.remarks.text', 'eq', 'why', ['Birch', 'Elder'])
  })

  test('counts for each key by itself: two keys may be true of two records', async () => {
    await expectTitles(books, 'filter[chapters.title]=Start&filter[chapters.place]=2', ['Amber', 'Birch'])
    const filter = { 'chapters.title': 'Start', 'chapters.place': 2 }
    await expectTitles(books, jsonFilter(filter), ['Amber', 'Birch'])
  })
})

describeOnBoth('some, every and none', (database) => {
  const books = useBooks(database)
  const expectFilter = (filter: object, titles: readonly string[]) => expectTitles(books, jsonFilter(filter), titles)

  test('stand only in a filter that is JSON', async () => {
    for (const word of ['some', 'every', 'none']) {
      await books.refused(`filter[chapters.remarks][${word}]=why`, `chapters.remarks.${word}`, 'must be an object')
      await books.refused(`filter[tags][${word}]=green`, `tags.${word}`, 'must be an object')
    }
  })

  test('some: two conditions are of the same record', async () => {
    await expectFilter({ chapters: { some: { title: 'Start', place: 2 } } }, ['Birch'])
    await expectFilter({ chapters: { some: { place: { gte: 2, lt: 3 }, title: { ne: 'Start' } } } }, ['Amber', 'Gorse'])
    await expectFilter({ tags: { some: { name: 'red' } } }, ['Amber', 'Birch', 'Elder', 'Hazel'])
    await expectFilter({ chapters: { some: { not: { title: 'Start' } } } }, ['Amber', 'Birch', 'Dogwood', 'Gorse'])
  })

  test('some: an empty object means at least one record', async () => {
    await expectFilter({ chapters: { some: {} } }, withChapters)
    await expectFilter({ authors: { some: {} } }, allTitles)
    await expectFilter({ not: { tags: { some: {} } } }, ['Cedar', 'Gorse'])
  })

  test('none: no record is so, or there is none', async () => {
    await expectFilter({ chapters: { none: {} } }, ['Cedar', 'Fir'])
    await expectFilter({ chapters: { none: { title: 'Start' } } }, ['Cedar', 'Dogwood', 'Fir', 'Gorse'])
    await expectFilter({ tags: { none: { name: 'red' } } }, ['Cedar', 'Dogwood', 'Fir', 'Gorse'])
    await expectFilter({ not: { tags: { none: { name: 'red' } } } }, ['Amber', 'Birch', 'Elder', 'Hazel'])
  })

  test('every: each record is so, or there is none', async () => {
    await expectFilter({ chapters: { every: { title: 'Start' } } }, ['Cedar', 'Elder', 'Fir', 'Hazel'])
    await expectFilter({ authors: { every: { name: 'Bo' } } }, ['Cedar', 'Hazel'])
    await expectFilter({ tags: { every: { name: 'red' } } }, ['Birch', 'Cedar', 'Gorse', 'Hazel'])
    await expectFilter({ not: { tags: { every: { name: 'red' } } } }, ['Amber', 'Dogwood', 'Elder', 'Fir'])
    await expectFilter({ chapters: { every: {} } }, allTitles)
  })

  test('none and every: behind a relation to one that leads to no record, there is none', async () => {
    const withoutPrequel = ['Amber', 'Cedar', 'Dogwood', 'Fir', 'Hazel']
    await expectFilter({ 'prequel.chapters': { none: {} } }, withoutPrequel)
    await expectFilter({ 'prequel.chapters': { every: { title: 'Middle' } } }, [
      'Amber',
      'Cedar',
      'Dogwood',
      'Elder',
      'Fir',
      'Hazel',
    ])
    await expectFilter({ chapters: { some: { 'translator.books': { none: {} } } } }, [
      'Amber',
      'Birch',
      'Elder',
      'Gorse',
      'Hazel',
    ])
    await expectFilter({ 'chapters.remarks': { none: {} } }, ['Amber', 'Birch', 'Elder', 'Gorse', 'Hazel'])
  })

  test('every: null is not so', async () => {
    await expectFilter({ chapters: { every: { 'translator.name': 'Ada' } } }, ['Cedar', 'Dogwood', 'Fir'])
    await expectFilter({ chapters: { every: { translatorId: { null: true } } } }, [
      'Birch',
      'Cedar',
      'Elder',
      'Fir',
      'Gorse',
      'Hazel',
    ])
    const notAda = allTitles.filter((title) => title !== 'Dogwood')
    await expectFilter({ chapters: { every: { 'translator.name': { ne: 'Ada' } } } }, notAda)
    await expectFilter({ chapters: { none: { 'translator.name': 'Ada' } } }, notAda)
  })

  test('go into each other, and beside other conditions', async () => {
    const unremarked = { chapters: { some: { title: 'Start', remarks: { none: {} } } } }
    await expectFilter(unremarked, ['Birch', 'Elder', 'Hazel'])
    await expectFilter({ ...unremarked, price: { gt: 0 } }, ['Birch', 'Elder'])
    await expectFilter({ chapters: { every: { remarks: { some: {} } } } }, ['Cedar', 'Dogwood', 'Fir'])
    await expectFilter({ or: [unremarked, { tags: { every: { name: 'green' } } }] }, [
      'Birch',
      'Cedar',
      'Elder',
      'Fir',
      'Gorse',
      'Hazel',
    ])
    const both = { chapters: { some: { title: 'Start' }, none: { place: 3 } } }
    await expectFilter(both, ['Amber', 'Birch', 'Hazel'])
    await expectFilter({ chapters: { some: { or: [{ place: 3 }, { 'remarks.text': 'how' }] } } }, ['Amber', 'Elder'])
  })

  test('are in JSON only', async () => {
    for (const word of ['some', 'every', 'none']) {
      await books.refused(`filter[chapters][${word}]={}`, 'chapters')
      await books.refused(`filter[chapters.${word}.title]=Start`, word)
    }
  })

  test('are 400 with anything but an object, and without them a relation to many is none', async () => {
    for (const value of [[], 'Start', 1, null, true]) {
      await books.refused(jsonFilter({ chapters: { some: value } }), 'some')
    }
    await books.refused(jsonFilter({ chapters: { title: 'Start' } }), 'title')
    await books.refused(asQuery({ filter: { chapters: [{ title: 'Start' }] } }), 'chapters')
    await books.refused(jsonFilter({ price: { some: {} } }), 'some')
  })
})
