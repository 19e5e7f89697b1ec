import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { allTitles } from './support/book-rows.ts'
import { jsonFilter } from './support/spellings.ts'
import { expectTitles, useBooks } from './support/use-books.ts'

describeOnBoth('the query string of a list', (database) => {
  const books = useBooks(database)

  test('may have a filter in JSON or in brackets, with or without the operator eq', async () => {
    for (const query of [
      'filter[title]=Fir',
      'filter[title][eq]=Fir',
      'filter%5Btitle%5D=Fir',
      jsonFilter({ title: 'Fir' }),
      jsonFilter({ title: { eq: 'Fir' } }),
    ]) {
      await expectTitles(books, query, ['Fir'])
    }
  })

  test('joins bracket keys by AND', async () => {
    await expectTitles(books, 'filter[price][gte]=5&filter[price][lt]=12.5&filter[isNew]=true', [
      'Amber',
      'Dogwood',
      'Gorse',
    ])
  })

  test('joins the keys and the operators of an object by AND', async () => {
    const filter = { price: { gte: 5, lt: 12.5 }, isNew: true }
    await expectTitles(books, jsonFilter(filter), ['Amber', 'Dogwood', 'Gorse'])
  })

  test('may stand beside a page, and the count is of what the filter lets through', async () => {
    const { rows, count } = await books.service.read('/api/book?filter[price]=10&limit=1&offset=1')
    expect([rows.map(({ title }: { title: string }) => title), count]).toEqual([['Dogwood'], 3])
  })

  test('shows everything if the filter has no condition', () => expectTitles(books, 'filter={}', allTitles))

  for (const [query, name] of [
    ['limit=1&limit=1', 'limit'],
    ['offset=1&limit=5&offset=1', 'offset'],
    ['sort=title&sort=price', 'sort'],
    ['sort=title&%73ort=price', 'sort'],
    ['filter[price]=5&filter[price]=10', 'price'],
    ['filter[price]=5&filter%5Bprice%5D=5', 'price'],
    ['filter[price][gte]=5&filter[price][gte]=10', 'price'],
    ['filter={}&filter={}', 'filter'],
  ] as const) {
    test(`is 400 where a key is repeated: ${query}`, () => books.refused(query, name))
  }

  for (const query of ['filter[price]=5&filter[price]=10', 'filter[price]=5&filter[price][eq]=5']) {
    test(`is told once where a key is repeated: ${query}`, async () => {
      const { errors } = (await books.service.get(`/api/book?${query}`)).body
      expect(errors).toHaveLength(1)
    })
  }

  test('is 400 where a filter is spelled in both ways, even if one of them says nothing', async () => {
    await books.refused('filter={}&filter[price]=5', 'filter')
    await books.refused(`filter[price]=5&${jsonFilter({ price: 5 })}`, 'filter')
  })

  for (const query of [
    'filter[title]=%',
    'filter[title]=%zz',
    'filter[title]=50%',
    'filter[title]=%F',
    // No UTF-8: cut off, a surrogate, too long, a byte that begins nothing.
    'filter[title]=%E2%82',
    'filter[title]=%ED%A0%80',
    'filter[title]=%C0%80',
    'filter[title]=%FF',
    'filter[%zz]=a',
    'limit=5%',
    'sort=%',
    '%=1',
  ]) {
    test(`is 400 where percent-encoding is malformed: ${query}`, () => books.refused(query))
  }

  test('has a space as `+` or `%20`, and a plus as `%2B`', async () => {
    for (const space of ['+', '%20']) await expectTitles(books, `filter[comment]=a${space}b`, ['Hazel'])
    await expectTitles(books, 'filter[comment]=a%2Bb', ['Gorse'])
  })

  test('has commas that are plain characters in a value', async () => {
    await expectTitles(books, 'filter[title]=Fir,Amber', [])
    await expectTitles(books, 'filter[title][in]=Fir,Amber', [])
    await books.refused('filter[price][in]=5,10', 'price')
  })

  test('may end in `&`, and may have an empty part', async () => {
    await expectTitles(books, 'filter[title]=Fir&', ['Fir'])
    await expectTitles(books, '&&filter[title]=Fir', ['Fir'])
  })
})
