import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { comparesDecimals } from './support/database-can.ts'
import { expectRefused } from './support/expect-refused.ts'
import { idOf } from './support/fill-books.ts'
import { useBooks } from './support/use-books.ts'

describeOnBoth('groups', (database) => {
  const books = useBooks(database)
  const canDecimals = comparesDecimals(database)
  const groups = (query: string) => books.service.read(`/api/book/$group?${query}`)
  const rows = async (query: string) => (await groups(query)).rows
  const refused = async (query: string, ...names: string[]) =>
    expectRefused(await books.service.get(`/api/book/$group?${query}`), ...names)

  test('of nothing in common are one group of all', async () => {
    expect(await groups('')).toEqual({ rows: [{ 'count()': 8 }], count: 1 })
    expect(await groups('values=count(),min(pages),max(price)')).toEqual({
      rows: [{ 'count()': 8, 'min(pages)': 0, 'max(price)': 12.5 }],
      count: 1,
    })
  })

  test('of no rows have no values, and are none where they have keys', async () => {
    const none = 'filter[title]=Nothing'
    expect(
      await groups(`${none}&values=count(),count(pages),min(title),max(publishedOn),sum(price),avg(price)`),
    ).toEqual({
      rows: [
        {
          'count()': 0,
          'count(pages)': 0,
          'min(title)': null,
          'max(publishedOn)': null,
          'sum(price)': null,
          'avg(price)': null,
        },
      ],
      count: 1,
    })
    expect(await groups(`${none}&by=state`)).toEqual({ rows: [], count: 0 })
  })

  test('have the values that their records have in common, null among them, in ascending order', async () => {
    expect(await groups('by=state')).toEqual({
      rows: [
        { state: 'draft', 'count()': 2 },
        { state: 'lost', 'count()': 1 },
        { state: 'out', 'count()': 3 },
        { state: null, 'count()': 2 },
      ],
      count: 4,
    })
    expect(await rows('by=isNew,state&values=count()&filter[state][null]=false')).toEqual([
      { isNew: false, state: 'draft', 'count()': 1 },
      { isNew: false, state: 'out', 'count()': 2 },
      { isNew: true, state: 'out', 'count()': 1 },
      { isNew: null, state: 'draft', 'count()': 1 },
      { isNew: null, state: 'lost', 'count()': 1 },
    ])
    expect(await rows('by=price')).toEqual([
      { price: -3.25, 'count()': 1 },
      { price: 0, 'count()': 1 },
      { price: 5, 'count()': 1 },
      { price: 10, 'count()': 3 },
      { price: 12.5, 'count()': 1 },
      { price: null, 'count()': 1 },
    ])
  })

  test('go by foreign keys, by ids, and by what related records have', async () => {
    const { publisher, book } = books.ids
    expect(await rows('by=publisherId&filter[publisher.name][in]=Ink&filter[publisher.name][in]=Paper')).toEqual([
      { publisherId: idOf(publisher, 'Ink'), 'count()': 5 },
      { publisherId: idOf(publisher, 'Paper'), 'count()': 3 },
    ])
    expect(await rows('by=series.name,publisher.name&sort=-count(),series.name&values=count()')).toEqual([
      { 'series.name': 'Dunes', 'publisher.name': 'Ink', 'count()': 2 },
      { 'series.name': null, 'publisher.name': 'Ink', 'count()': 2 },
      { 'series.name': 'Dunes', 'publisher.name': 'Paper', 'count()': 1 },
      { 'series.name': 'Moors', 'publisher.name': 'Ink', 'count()': 1 },
      { 'series.name': 'Moors', 'publisher.name': 'Paper', 'count()': 1 },
      { 'series.name': null, 'publisher.name': 'Paper', 'count()': 1 },
    ])
    expect(await rows('by=prequel.publisher.name&sort=-prequel.publisher.name')).toEqual([
      { 'prequel.publisher.name': 'Paper', 'count()': 1 },
      { 'prequel.publisher.name': 'Ink', 'count()': 2 },
      { 'prequel.publisher.name': null, 'count()': 5 },
    ])
    const byId = await rows('by=id&limit=2')
    expect(byId).toEqual([
      { id: idOf(book, 'Amber'), 'count()': 1 },
      { id: idOf(book, 'Birch'), 'count()': 1 },
    ])
  })

  test('go by values inside of JSON', async () => {
    expect(await rows('by=size.unit&values=count(),max(size.width)')).toEqual([
      { 'size.unit': '', 'count()': 1, 'max(size.width)': 0 },
      { 'size.unit': 'CM', 'count()': 1, 'max(size.width)': 10 },
      { 'size.unit': 'cm', 'count()': 2, 'max(size.width)': 10 },
      { 'size.unit': 'in', 'count()': 1, 'max(size.width)': 2.5 },
      { 'size.unit': null, 'count()': 3, 'max(size.width)': 10 },
    ])
  })

  test('go by the year, the month and the day of dates', async () => {
    expect(await rows('by=year(publishedOn)')).toEqual([
      { 'year(publishedOn)': '1999', 'count()': 1 },
      { 'year(publishedOn)': '2024', 'count()': 1 },
      { 'year(publishedOn)': '2025', 'count()': 1 },
      { 'year(publishedOn)': '2026', 'count()': 3 },
      { 'year(publishedOn)': null, 'count()': 2 },
    ])
    expect(await rows('by=month(publishedOn)&sort=-month(publishedOn)&limit=2')).toEqual([
      { 'month(publishedOn)': '2026-01', 'count()': 3 },
      { 'month(publishedOn)': '2025-12', 'count()': 1 },
    ])
  })

  test('go by the quarter and the week of dates, as ISO 8601 counts weeks', async () => {
    const keys = async (by: string) =>
      (await rows(`by=${by}&values=count()`)).map((row: object) => Object.values(row)[0])
    expect(await keys('quarter(publishedOn)')).toEqual(['1999-Q4', '2024-Q1', '2025-Q4', '2026-Q1', null])
    expect(await keys('week(publishedOn)')).toEqual(['1999-W52', '2024-W09', '2026-W01', null])
    expect(await keys('week(soldAt)')).toEqual(['1970-W01', '2026-W01', null])
    expect(await keys('quarter(soldAt)')).toEqual(['1969-Q4', '2026-Q1', null])
  })

  test('go by those of moments: in UTC, or in a time zone', async () => {
    const inUtc = [
      { 'day(soldAt)': '1969-12-31', 'count()': 1 },
      { 'day(soldAt)': '2026-01-01', 'count()': 5 },
      { 'day(soldAt)': null, 'count()': 2 },
    ]
    expect(await rows('by=day(soldAt)')).toEqual(inUtc)
    const zone = 'by=day(soldAt)&timeZone=America/New_York'
    if (!canDecimals) return refused(zone, 'openSqlite')
    expect(await rows(zone)).toEqual([
      { 'day(soldAt)': '1969-12-31', 'count()': 1 },
      { 'day(soldAt)': '2025-12-31', 'count()': 1 },
      { 'day(soldAt)': '2026-01-01', 'count()': 4 },
      { 'day(soldAt)': null, 'count()': 2 },
    ])
    expect(await rows('by=day(soldAt)&timeZone=Asia/Kathmandu&limit=1')).toEqual([
      { 'day(soldAt)': '1970-01-01', 'count()': 1 },
    ])
  })

  test('of equal moments have the smallest of their spellings', async () => {
    expect(await rows('by=soldAt&values=count()&sort=-soldAt&limit=2')).toEqual([
      { soldAt: '2026-01-01T12:00:00.001Z', 'count()': 1 },
      { soldAt: '2026-01-01T12:00:00Z', 'count()': 3 },
    ])
    expect(await rows('values=min(soldAt),max(soldAt),countDistinct(soldAt)')).toEqual([
      { 'min(soldAt)': '1969-12-31T23:59:59Z', 'max(soldAt)': '2026-01-01T12:00:00.001Z', 'countDistinct(soldAt)': 4 },
    ])
  })

  test('have exact sums and averages of integers and decimals', async () => {
    const query = 'values=sum(pages),avg(pages),sum(cost),avg(cost),min(cost),max(cost),countDistinct(cost)'
    if (!canDecimals) {
      await refused('values=sum(pages)', 'openSqlite')
      return refused('by=cost', 'openSqlite')
    }
    expect(await rows(query)).toEqual([
      {
        'sum(pages)': '1800',
        'avg(pages)': '257.1428571428571429',
        'sum(cost)': '200000000000000000007.830',
        'avg(cost)': '28571428571428571429.69',
        'min(cost)': '-2.5',
        'max(cost)': '99999999999999999999.02',
        'countDistinct(cost)': 6,
      },
    ])
    expect(await rows('by=cost&filter[cost][lt]=2')).toEqual([
      { cost: '-2.5', 'count()': 1 },
      { cost: '0.100', 'count()': 1 },
      { cost: '1.1', 'count()': 2 },
    ])
    expect(await rows('by=state&values=sum(pages)&sort=-sum(pages)')).toEqual([
      { state: 'out', 'sum(pages)': '1400' },
      { state: 'lost', 'sum(pages)': '200' },
      { state: 'draft', 'sum(pages)': '100' },
      { state: null, 'sum(pages)': '100' },
    ])
  })

  test('have sums and averages of other numbers, and the first and last of texts and dates', async () => {
    expect(
      await rows('by=publisher.name&values=sum(price),avg(price),min(title),max(publishedOn),count(comment)'),
    ).toEqual([
      {
        'publisher.name': 'Ink',
        'sum(price)': 21.75,
        'avg(price)': 4.35,
        'min(title)': 'Amber',
        'max(publishedOn)': '2026-01-01',
        'count(comment)': 4,
      },
      {
        'publisher.name': 'Paper',
        'sum(price)': 22.5,
        'avg(price)': 11.25,
        'min(title)': 'Cedar',
        'max(publishedOn)': '2026-01-01',
        'count(comment)': 2,
      },
    ])
    expect(await rows('values=count(size),countDistinct(state),max(series.name),countDistinct(publisherId)')).toEqual([
      { 'count(size)': 6, 'countDistinct(state)': 3, 'max(series.name)': 'Moors', 'countDistinct(publisherId)': 2 },
    ])
  })

  test('are chosen by their values, together with the filter of records', async () => {
    const having = (filter: object) => `having=${encodeURIComponent(JSON.stringify(filter))}`
    expect(await groups(`by=state&${having({ 'count()': { gte: 2 } })}&sort=-count()`)).toEqual({
      rows: [
        { state: 'out', 'count()': 3 },
        { state: 'draft', 'count()': 2 },
        { state: null, 'count()': 2 },
      ],
      count: 3,
    })
    const either = having({ or: [{ 'min(title)': { istartsWith: 'A' } }, { not: { 'max(price)': { lte: 10 } } }] })
    expect(await groups(`by=publisher.name&values=min(title),max(price)&${either}&filter[price][gt]=0`)).toEqual({
      rows: [
        { 'publisher.name': 'Ink', 'min(title)': 'Amber', 'max(price)': 10 },
        { 'publisher.name': 'Paper', 'min(title)': 'Dogwood', 'max(price)': 12.5 },
      ],
      count: 2,
    })
    const moment = having({ 'max(soldAt)': '2026-01-01T13:00:00.001+01:00' })
    expect(await rows(`by=publisher.name&values=max(soldAt)&${moment}`)).toEqual([
      { 'publisher.name': 'Paper', 'max(soldAt)': '2026-01-01T12:00:00.001Z' },
    ])
    await refused(`by=state&${having({ 'sum(price)': 1 })}`, "having.sum(price): 'sum(price)' is not in 'values'")
    await refused(`by=state&${having({ 'count()': 'x' })}`, 'having.count()')
    await refused('by=state&having=x', 'having: is not JSON')
  })

  test('come in pages, and are counted as the query says', async () => {
    expect(await groups('by=price&limit=2&offset=3')).toEqual({
      rows: [
        { price: 10, 'count()': 3 },
        { price: 12.5, 'count()': 1 },
      ],
      count: 6,
    })
    expect(await groups('by=price&limit=1&count=none')).toEqual({ rows: [{ price: -3.25, 'count()': 1 }] })
    expect(await groups('by=price&limit=1&count=2')).toEqual({
      rows: [{ price: -3.25, 'count()': 1 }],
      count: 2,
      countIs: 'atLeast',
    })
    const answer = await books.service.get('/api/book/$group?by=price&limit=1')
    expect(Object.keys(answer.headers)).not.toContain('link')
    expect(Object.keys(answer.headers)).not.toContain('etag')
  })

  test('are refused by the name of what is wrong', async () => {
    await refused('by=colour', 'by', "a book has no 'colour'")
    await refused('by=tags.name', 'leads to several records')
    await refused('by=publisher', 'names a record')
    await refused('by=size', 'has no single value')
    await refused('by=decade(soldAt)', "'decade' is not a part")
    await refused('by=year(title)', 'needs a date or a moment')
    await refused('by=state,state', 'occurs twice')
    await refused('by=state,price,pages,title,isNew', 'has more than 4 names')
    await refused('values=total(price)', 'is not a value')
    await refused('values=sum(title)', 'sum(…) needs a number')
    await refused('values=max(isNew)', 'max(…) needs a text')
    await refused('values=max(size)', 'max(…) needs a text')
    await refused('values=price', 'is not a value')
    await refused('by=state&sort=price', "'price': is not in 'by' or 'values'")
    await refused('by=state&sort=state,-state', 'occurs twice')
    await refused('by=day(soldAt)&timeZone=EET', 'timeZone: must be the name of a time zone')
    await refused('by=day(soldAt)&timeZone=%2B01:00', 'timeZone: must be the name of a time zone')
    await refused('by=day(publishedOn)&timeZone=Europe/Vienna', 'timeZone: says nothing')
    await refused('include=tags', "there is no query parameter 'include'")
    await refused('after=x', "there is no query parameter 'after'")
    await refused('filter[colour]=red', "a book has no 'colour'")
    await refused('limit=0', 'limit')
  })

  test('are there only where the descriptor says so', async () => {
    // As any other text that is no id.
    expect((await books.service.get('/api/publisher/$group')).status).toBe(400)
    expect((await books.service.request('PUT', '/api/book/$group', {})).status).toBe(405)
    const head = await books.service.request('HEAD', '/api/book/$group')
    expect([head.status, head.body]).toEqual([200, undefined])
  })

  test('are there in the store, with the same refusals', async () => {
    const store = books.store('book')
    expect(await store.group({ by: ['state'], having: { 'count()': 3 } })).toEqual({
      rows: [{ state: 'out', 'count()': 3 }],
      count: 1,
    })
    await expect(store.group({ by: 'state' })).rejects.toMatchObject({ code: 'CRUD_ERR_INVALID' })
    await expect(store.group({ buy: ['state'] })).rejects.toMatchObject({ code: 'CRUD_ERR_INVALID' })
  })
})
