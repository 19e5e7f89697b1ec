import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { idOf } from './support/fill-books.ts'
import { jsonFilter } from './support/spellings.ts'
import { expectTitles, useBooks } from './support/use-books.ts'

describeOnBoth('a filter by records that need these, or own them,', (database) => {
  const books = useBooks(database)
  const names = (resource: string, filter: object) => books.values(`/api/${resource}?${jsonFilter(filter)}`, 'name')

  test('goes through neededBy, of one', async () => {
    expect(await books.values('/api/publisher?filter[books.title]=Cedar', 'name')).toEqual(['Paper'])
    expect(await names('publisher', { books: { some: { price: { gt: 5 } } } })).toEqual(['Ink', 'Paper'])
    expect(await names('publisher', { books: { none: {} } })).toEqual(['Quill'])
    expect(await names('publisher', { books: { every: { 'series.name': { ne: 'Lakes' } } } })).toHaveLength(3)
    expect(await names('publisher', { books: { every: { price: { gte: 10 } } } })).toEqual(['Quill'])
    expect(await names('publisher', { 'books.tags.name': 'green' })).toEqual(['Ink', 'Paper'])
  })

  test('goes through neededBy, of many', async () => {
    expect(await books.values('/api/author?filter[books.title]=Elder', 'name')).toEqual(['Ada', 'Bo'])
    expect(await names('author', { books: { none: {} } })).toEqual(['Di'])
    expect(await names('author', { books: { every: { 'publisher.name': 'Ink' } } })).toEqual(['Cy', 'Di'])
    expect(await names('author', { books: { some: { title: 'Birch', price: 10 } } })).toEqual(['Ada', 'Bo'])
  })

  test('goes there and back', async () => {
    await expectTitles(books, 'filter[publisher.books.title]=Cedar', ['Cedar', 'Dogwood', 'Elder'])
    const byAuthorsOfPaper = { authors: { some: { books: { some: { 'publisher.name': 'Paper' } } } } }
    const others = ['Amber', 'Birch', 'Cedar', 'Dogwood', 'Elder', 'Fir', 'Hazel']
    await expectTitles(books, jsonFilter(byAuthorsOfPaper), others)
  })

  test('goes through ownedBy', async () => {
    const texts = (query: string) => books.values(`/api/quote?${query}`, 'text')
    expect(await texts('filter[chapter.book.title]=Amber')).toEqual(['of Amber'])
    expect(await texts('filter[chapter.book.publisher.name]=Paper')).toEqual(['of Dogwood'])
    expect(await texts('filter[chapter.book.publisher.name][ne]=Ink')).toEqual(['of Dogwood', 'of nobody'])
    expect(await texts('filter[chapter.book.id][null]=true')).toEqual(['of nobody'])
    expect(await texts('filter[chapter.book.tags.name]=red')).toEqual(['of Amber'])
  })
})

describeOnBoth('a filter of a tree', (database) => {
  const books = useBooks(database)
  const roots = (filter: object) => books.values(`/api/category?${jsonFilter(filter)}`, 'name')

  test('is of the roots, which are what the list shows', async () => {
    expect(await roots({ name: { in: ['Fiction', 'Crime'] } })).toEqual(['Fiction'])
    expect(await roots({ 'parent.name': { null: true } })).toEqual(['Fiction', 'Facts', 'Empty'])
    expect(await roots({ 'parent.name': 'Fiction' })).toEqual([])
  })

  test('goes down by what a node owns', async () => {
    expect(await roots({ 'categories.name': 'Crime' })).toEqual(['Fiction', 'Facts'])
    expect(await roots({ 'categories.categories.name': 'Noir' })).toEqual(['Fiction'])
    expect(await roots({ categories: { none: {} } })).toEqual(['Empty'])
    expect(await roots({ categories: { some: { name: 'Crime', categories: { none: {} } } } })).toEqual(['Facts'])
    expect(await roots({ categories: { every: { name: 'Crime' } } })).toEqual(['Facts', 'Empty'])
  })

  test('goes up by what owns a node, and shows whole nodes', async () => {
    const path = `/api/category/${idOf(books.ids.category, 'Fiction')}/category`
    expect(await books.values(`${path}?filter[parent.name]=Fiction`, 'name')).toEqual(['Crime', 'Poetry'])
    expect(await books.values(`${path}?filter[parent.name]=Facts`, 'name')).toEqual([])
    expect(await books.values(`${path}?filter[parent.categories.name]=Poetry&sort=-name`, 'name')).toEqual([
      'Poetry',
      'Crime',
    ])
    expect(await books.values(`${path}?filter[parent.parent.name][null]=false`, 'name')).toEqual([])
    const { rows } = await books.service.read(`${path}?filter[name]=Crime`)
    expect(rows).toMatchObject([{ name: 'Crime', categories: [{ name: 'Noir' }, { name: 'Cosy' }] }])
  })
})
