import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { idOf } from './support/fill-books.ts'
import { jsonFilter } from './support/spellings.ts'
import { useBooks } from './support/use-books.ts'

describeOnBoth('what a query names and is not there', (database) => {
  const books = useBooks(database)

  for (const [query, name] of [
    ['Filter[price]=5', 'Filter'],
    ['filters[price]=5', 'filters'],
    ['order=title', 'order'],
    ['sort[title]=1', 'sort'],
    ['limit[]=1', 'limit'],
    ['price=5', 'price'],
  ] as const) {
    test(`is an unknown key, which is 400: ${query}`, () => books.refused(query, name))
  }

  for (const [query, name] of [
    ['filter[nowhere]=5', 'nowhere'],
    ['filter[Price]=5', 'Price'],
    ['filter[publisher.nowhere]=5', 'nowhere'],
    ['filter[nowhere.name]=5', 'nowhere'],
    ['filter[publisher.books.nowhere]=5', 'nowhere'],
    ['filter[title.nowhere]=5', 'title'],
    ['filter[__proto__]=5', '__proto__'],
    ['filter[constructor]=5', 'constructor'],
    ['filter[toString]=5', 'toString'],
    ['filter[publisher.constructor]=5', 'constructor'],
    [jsonFilter({ nowhere: 5 }), 'nowhere'],
    [jsonFilter({ or: [{ price: 5 }, { not: { nowhere: 5 } }] }), 'nowhere'],
    [jsonFilter({ chapters: { some: { nowhere: 5 } } }), 'nowhere'],
    ['filter={"__proto__":{"price":5}}', '__proto__'],
    ['filter={"title":{"__proto__":"a"}}', '__proto__'],
    ['sort=nowhere', 'nowhere'],
    ['sort=-nowhere', 'nowhere'],
    ['sort=title,publisher.nowhere', 'nowhere'],
    ['sort=constructor', 'constructor'],
  ] as const) {
    test(`is an unknown field or relation, which is 400: ${decodeURIComponent(query)}`, () =>
      books.refused(query, name))
  }

  for (const [query, message] of [
    ['sort=price.desc', "sort: 'price.desc': 'price' is not a relation"],
    ['filter[title.length]=5', "filter.title.length: 'title' is not a relation"],
    ['filter[publisher.id.eq]=5', "filter.publisher.id.eq: 'id' is not a relation"],
    ['fields=publisherId.name', "fields: 'publisherId.name': 'publisherId' is not a relation"],
  ] as const) {
    test(`is 400 behind a value, which is no relation: ${query}`, () => books.refused(query, message))
  }

  for (const [query, name] of [
    ['filter[price][above]=5', 'above'],
    ['filter[price][EQ]=5', 'EQ'],
    ['filter[price][]=5', 'price'],
    ['filter[price][constructor]=5', 'constructor'],
    ['filter[price][__proto__]=5', '__proto__'],
    [jsonFilter({ price: { above: 5 } }), 'above'],
    [jsonFilter({ price: { gte: 5, above: 5 } }), 'above'],
    [jsonFilter({ chapters: { any: { place: 1 } } }), 'any'],
  ] as const) {
    test(`is an unknown operator, which is 400: ${decodeURIComponent(query)}`, () => books.refused(query, name))
  }

  for (const query of [
    'filter[]=5',
    'filter[price=5',
    'filter]price[=5',
    'filter[price]x=5',
    'filter[price][gte][lt]=5',
    'filter[chapters][some][place]=1',
    'filter[or][0][price]=5',
    'filter[not][price]=5',
    'filter[.title]=a',
    'filter[publisher.]=a',
    'filter[publisher..name]=a',
    'sort=',
    'sort=,',
    'sort=title,',
    'sort=+title',
    'sort=--title',
    'sort=title desc',
  ]) {
    test(`is 400 where it is no spelling of a filter or sort: ${query}`, () =>
      books.refused(query.replaceAll('+', '%2B').replaceAll(' ', '%20')))
  }

  for (const text of ['', '{', 'price', '[]', '[{"price":5}]', 'null', 'true', '5', '"price"', '{"price":5}}']) {
    test(`is 400 where a filter is no JSON object: ${text}`, () =>
      books.refused(`filter=${encodeURIComponent(text)}`, 'filter'))
  }

  test('is 400 for a list of what a record owns, as for any other', async () => {
    const id = idOf(books.ids.book, 'Amber')
    await books.refusedAt(`/api/book/${id}/chapter?filter[nowhere]=5`, 'nowhere')
    await books.refusedAt(`/api/book/${id}/chapter?sort=nowhere`, 'nowhere')
  })

  test('is all reported together, in one answer', async () => {
    const query = 'filter[nowhere]=1&filter[price]=x&filter[title][above]=a&sort=nothing&limit=0&what=1'
    await books.refused(query, 'nowhere', 'price', 'above', 'nothing', 'limit', 'what')
    const filter = { nowhere: 1, or: [{ price: 'x' }, { title: { above: 'a' } }] }
    await books.refused(`${jsonFilter(filter)}&sort=nothing,-nobody&offset=x`, 'nowhere', 'price', 'above', 'nothing')
  })

  test('is named in short words, however long it is', async () => {
    for (const query of [`filter[${'k'.repeat(6000)}]=1`, `sort=${'k'.repeat(6000)}`]) {
      const answer = await books.service.get(`/api/book?${query}`)
      expect(answer.status).toBe(400)
      expect(JSON.stringify(answer.body).length).toBeLessThan(1500)
    }
  })

  test('sends no statement', async () => {
    const send = () => books.refused('filter[nowhere]=1&filter[price]=5', 'nowhere')
    expect(await books.service.statements(send)).toEqual([])
  })
})

describeOnBoth('a filter or sort where no list is asked for', (database) => {
  const books = useBooks(database)

  test('is 400 for a single record, and named', async () => {
    const path = `/api/book/${idOf(books.ids.book, 'Amber')}`
    for (const query of ['filter[price]=5', 'filter={}', 'sort=title', 'count=none', 'after=x', 'limit=1']) {
      await books.refusedAt(`${path}?${query}`, query.split(/[[=]/)[0] as string)
    }
  })

  test('is 400 for a write, which does nothing', async () => {
    const path = `/api/book/${idOf(books.ids.book, 'Amber')}`
    for (const [method, target] of [
      ['PATCH', path],
      ['PUT', path],
      ['DELETE', path],
      ['POST', '/api/tag'],
    ] as const) {
      const body = method === 'DELETE' ? undefined : { name: 'x' }
      const refused = { code: 'CRUD_ERR_INVALID' } as const
      await books.service.refuse(method, `${target}?filter[price]=5`, body, refused)
      await books.service.refuse(method, `${target}?sort=title`, body, refused)
    }
  })
})
