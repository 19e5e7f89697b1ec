import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { allTitles } from './support/book-rows.ts'
import { asQuery, jsonFilter } from './support/spellings.ts'
import { expectTitles, useBooks } from './support/use-books.ts'

describeOnBoth('a value in brackets', (database) => {
  const books = useBooks(database)

  for (const text of ['10', '1e1', '1E1', '1.0e1', '10.0', '100e-1', '1e%2B1']) {
    test(`is a number as in JSON: ${text}`, () =>
      expectTitles(books, `filter[price]=${text}`, ['Birch', 'Dogwood', 'Gorse']))
  }

  test('is a number as in JSON: -3.25 and -0', async () => {
    await expectTitles(books, 'filter[price]=-3.25', ['Hazel'])
    await expectTitles(books, 'filter[price]=-0', ['Fir'])
  })

  const noNumbers = ['01', '-01', '%2B10', '+10', '10+', '.5', '5.', '1e', '0x0a', '1_0', '1,0', 'ten', '1e999', '-']
  for (const text of [...noNumbers, 'NaN', 'Infinity', 'null', 'true', '%2210%22', '%EF%BC%91']) {
    test(`is 400 where a number is expected: ${text}`, async () => {
      await books.refused(`filter[price]=${text}`, 'price')
      await books.refused(`filter[pages][gte]=${text}`, 'pages')
      await books.refused(`filter[price][in]=5&filter[price][in]=${text}`, 'price')
    })
  }

  test('is true or false where a boolean is expected, else 400', async () => {
    await expectTitles(books, 'filter[isNew]=true', ['Amber', 'Dogwood', 'Gorse'])
    await expectTitles(books, 'filter[isNew]=false', ['Birch', 'Elder', 'Hazel'])
    for (const text of ['1', '0', 'True', 'FALSE', 'yes', 'null', '+true']) {
      await books.refused(`filter[isNew]=${text}`, 'isNew')
      await books.refused(`filter[title][null]=${text}`, 'title')
    }
  })

  test('is 400 where it is no date, and where it is no date-time', async () => {
    for (const text of ['2026-02-30', '2026-1-1', '2026-01-01T00:00:00Z', 'today', '0']) {
      await books.refused(`filter[publishedOn]=${text}`, 'publishedOn')
    }
    for (const text of ['2026-01-01', '2026-01-01T25:00:00Z', '2026-01-01T12:00:00', '0']) {
      await books.refused(`filter[soldAt][gte]=${text}`, 'soldAt')
    }
  })

  test('is 400 with a plus that is not encoded, and the answer says how to write it', async () => {
    const hint = 'write a plus sign as %2B in a URL'
    const moment = '2026-01-01T13:00:00+01:00'
    await books.refused(`filter[soldAt][gte]=${moment}`, 'soldAt', hint)
    await books.refused(`filter[soldAt][in]=${moment}`, 'soldAt', hint)
    await books.refused(`filter={"soldAt":{"gte":"${moment}"}}`, 'soldAt', hint)
    await books.refused('filter[price]=1e+1', 'price', hint)
    const { body } = await books.service.get('/api/book?filter[soldAt]=2026-01-01+13:00:00')
    expect(body.detail).not.toContain('%2B')
  })

  test('is 400 where a name is empty', async () => {
    for (const query of [
      'sort=',
      'sort=-',
      'sort=title,,price',
      'filter[]=a',
      'filter[publisher.]=a',
      'fields=title,',
    ]) {
      await books.refused(query, 'has an empty name')
    }
  })

  test('is a string as it is: the words null, true and 1, quotes, and the empty string', async () => {
    await expectTitles(books, 'filter[comment]=null', ['Dogwood'])
    await expectTitles(books, 'filter[comment]=', ['Birch'])
    await expectTitles(books, 'filter[comment]', ['Birch'])
    await expectTitles(books, 'filter[comment]=%22%22', [])
    await expectTitles(books, 'filter[title]=true', [])
    await expectTitles(books, 'filter[title]=1', [])
    await expectTitles(books, 'filter[title]=+Fir', [])
  })

  test('is 400 where it is empty, for any type but a string', async () => {
    for (const field of ['price', 'pages', 'isNew', 'soldAt', 'publishedOn', 'id', 'publisherId', 'size.width']) {
      for (const key of [`[${field}]`, `[${field}][in]`, `[${field}][null]`]) {
        await books.refused(`filter${key}=`, field)
        await books.refused(`filter${key}`, field)
      }
    }
  })

  test('never fails, even if no row can have it', async () => {
    for (const query of [
      'filter[title]=%00',
      'filter[title][contains]=a%00b',
      'filter[id]=99999999999999999999',
      'filter[id][lt]=-99999999999999999999',
      'filter[pages]=9999999999',
      'filter[pages]=1.5',
      'filter[pages][gte]=1e300',
      'filter[publisherId]=9007199254740993',
      'filter[publishedOn][lt]=0000-01-01',
      'filter[title]={"title":"\\ud800"}',
    ]) {
      expect((await books.service.get(`/api/book?${query}`)).status, query).toBeLessThan(500)
    }
  })
})

describeOnBoth('a value in JSON', (database) => {
  const books = useBooks(database)

  test('is converted to no other type', async () => {
    for (const [field, values] of [
      ['price', ['5', '', true, [5]]],
      ['title', [5, true, ['Fir']]],
      ['isNew', ['true', 1, 0]],
      ['soldAt', ['', 0, '2026-01-01']],
      ['publishedOn', ['', 20260101]],
      ['id', ['1', true]],
      ['publisherId', ['1']],
      ['publisher.name', [1]],
    ] as const) {
      for (const value of values) {
        await books.refused(jsonFilter({ [field]: value }), field)
        await books.refused(jsonFilter({ [field]: { ne: value } }), field)
        await books.refused(jsonFilter({ [field]: { in: [value] } }), field)
      }
    }
  })

  test('is a list for `in` and `nin` only, and true or false for `null`', async () => {
    for (const value of [5, '5', { 0: 5 }, null]) {
      await books.refused(jsonFilter({ price: { in: value } }), 'price')
      await books.refused(jsonFilter({ price: { nin: value } }), 'price')
    }
    await books.refused(jsonFilter({ price: { gte: [5] } }), 'price')
    for (const value of ['true', 1, 0]) await books.refused(jsonFilter({ price: { null: value } }), 'price')
  })

  test('is a list for `and` and `or`, and an object for `not`', async () => {
    for (const filter of [{ or: { price: 5 } }, { and: { price: 5 } }, { not: [{ price: 5 }] }, { or: [5] }]) {
      await books.refused(jsonFilter(filter), Object.keys(filter)[0] as string)
    }
  })

  test('never fails, even if it is no text that a database takes', async () => {
    for (const text of ['"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '1e999', '-1e999']) {
      const filter = encodeURIComponent(text.startsWith('"') ? `{"title":${text}}` : `{"price":{"lt":${text}}}`)
      expect((await books.service.get(`/api/book?filter=${filter}`)).status, text).toBeLessThan(500)
    }
  })
})

describeOnBoth('a list of values', (database) => {
  const books = useBooks(database)
  const repeated = (operator: string, count: number) =>
    Array.from({ length: count }, (_, n) => `filter[pages][${operator}]=${n}`).join('&')

  test('is repeated in brackets, once for each value', async () => {
    await expectTitles(books, 'filter[title][in]=Hazel&filter[title][in]=Amber', ['Amber', 'Hazel'])
    await expectTitles(books, 'filter[price][in]=10&filter[isNew]=true&filter[price][in]=5', [
      'Amber',
      'Dogwood',
      'Gorse',
    ])
    await expectTitles(books, 'filter[title][in]=Fir&filter[title][in]=Fir', ['Fir'])
    const others = ['Birch', 'Cedar', 'Dogwood', 'Elder', 'Fir', 'Gorse']
    await expectTitles(books, 'filter[title][nin]=Hazel&filter[title][nin]=Amber', others)
  })

  test('may have one value', async () => {
    await expectTitles(books, 'filter[title][in]=Fir', ['Fir'])
    await expectTitles(books, jsonFilter({ title: { in: ['Fir'] } }), ['Fir'])
  })

  test('may be empty in JSON: `in` then matches nothing, `nin` everything, and `or` is 400', async () => {
    await expectTitles(books, jsonFilter({ title: { in: [] } }), [])
    await expectTitles(books, jsonFilter({ price: { in: [] } }), [])
    await expectTitles(books, jsonFilter({ price: { nin: [] } }), allTitles)
    await expectTitles(books, jsonFilter({ not: { price: { in: [] } } }), allTitles)
    await expectTitles(books, jsonFilter({ 'publisher.name': { nin: [] } }), allTitles)
    await books.refused(asQuery({ filter: { or: [] } }), 'or')
  })

  test('has at most 500 values', async () => {
    await expectTitles(books, repeated('in', 500), ['Amber', 'Birch', 'Cedar', 'Elder', 'Fir', 'Gorse'])
    await expectTitles(books, repeated('nin', 500), ['Dogwood', 'Hazel'])
    await books.refused(repeated('in', 501), 'pages')
    await books.refused(repeated('nin', 501), 'pages')
  })
})
