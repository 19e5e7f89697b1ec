import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { idOf } from './support/fill-books.ts'
import { asQuery } from './support/spellings.ts'
import { useBooks } from './support/use-books.ts'

describeOnBoth('nested', (database) => {
  const books = useBooks(database)
  const publisherPath = (name: string) => `/api/publisher/${idOf(books.ids.publisher, name)}`

  /** The titles in the included arrays of books, of each row. */
  async function included(query: string): Promise<string[][]> {
    const { rows } = await books.service.read(`/api/publisher?include=books&${query}`)
    return rows.map(({ books }: JsonBody) => books.map(({ title }: JsonBody) => title))
  }

  test('limits an array, for each record by itself', async () => {
    expect(await included('nested[books][limit]=2')).toEqual([['Amber', 'Birch'], ['Cedar', 'Dogwood'], []])
  })

  test('sorts an array', async () => {
    expect(await included('nested[books][sort]=-price,title')).toEqual([
      ['Birch', 'Gorse', 'Amber', 'Fir', 'Hazel'],
      ['Elder', 'Dogwood', 'Cedar'],
      [],
    ])
    expect(await included('nested[books][sort]=-count(tags)&nested[books][limit]=1')).toEqual([
      ['Amber'],
      ['Elder'],
      [],
    ])
  })

  test('filters an array, and not the records that have it', async () => {
    const filter = asQuery({ 'nested[books][filter]': { or: [{ price: { gt: 10 } }, { 'series.name': 'Moors' }] } })
    expect(await included(filter)).toEqual([['Gorse'], ['Dogwood', 'Elder'], []])
    const none = asQuery({ 'nested[books][filter]': { chapters: { none: {} } } })
    expect(await included(none)).toEqual([['Fir'], ['Cedar'], []])
  })

  test('filters first, sorts then, and limits last', async () => {
    const filter = asQuery({ 'nested[books][filter]': { price: { gte: 0 } } })
    expect(await included(`${filter}&nested[books][sort]=-title&nested[books][limit]=2`)).toEqual([
      ['Gorse', 'Fir'],
      ['Elder', 'Dogwood'],
      [],
    ])
  })

  test('applies to an array at any depth, and to a single record', async () => {
    const query =
      'include=books,books.tags&nested[books][limit]=1&nested[books][sort]=-title&nested[books.tags][limit]=2'
    const { books: shown } = await books.service.read(`${publisherPath('Paper')}?${query}`)
    expect(shown).toMatchObject([{ title: 'Elder', tags: [{ name: 'red' }, { name: 'blue' }] }])
    expect(shown[0].tags).toHaveLength(2)
  })

  for (const [query, name] of [
    ['include=books&nested[nowhere][limit]=1', 'nowhere'],
    ['include=books&nested[books.nowhere][limit]=1', 'nowhere'],
    ['include=books&nested[books][what]=1', 'what'],
    ['include=books&nested[books]=1', 'books'],
    ['include=books&nested=1', 'nested'],
    ['include=books&nested[books][limit]=0', 'limit'],
    ['include=books&nested[books][limit]=x', 'limit'],
    ['include=books&nested[books][limit]=05', 'limit'],
    ['include=books&nested[books][limit]=1&nested[books][limit]=2', 'limit'],
    ['include=books&nested[books][limit]=1001', 'limit'],
    ['include=books&nested[books][sort]=nowhere', 'nowhere'],
    ['include=books&nested[books][sort]=tags.name', 'tags'],
    ['include=books&nested[books][filter]={"nowhere":1}', 'nowhere'],
    ['include=books&nested[books][filter]={"price":"1"}', 'price'],
    ['include=books&nested[books][filter]={', 'filter'],
    // Not in the answer.
    ['nested[books][limit]=1', 'books'],
  ] as const) {
    test(`is 400 where it names or says nothing: ${query}`, () => books.refusedAt(`/api/publisher?${query}`, name))
  }

  test('is 400 for a relation to one record', () =>
    books.refused('include=publisher.books&nested[publisher][limit]=1', 'publisher'))
})
