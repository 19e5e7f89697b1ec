import { expect, test } from 'vitest'
import { buildApp } from '../../../../test/support/app.ts'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { allTitles } from './support/book-rows.ts'
import { books as resources } from './support/books.ts'
import { jsonFilter } from './support/spellings.ts'
import { expectTitles, useBooks } from './support/use-books.ts'

const conditions = (count: number) => Array.from({ length: count }, (_, n) => ({ id: { ne: -n } }))

/** A condition in this many `not`s. */
const nested = (depth: number): string => `${'{"not":'.repeat(depth)}{"title":"Fir"}${'}'.repeat(depth)}`

describeOnBoth('the limits of a filter', (database) => {
  const books = useBooks(database)

  test('are 50 conditions: more is 400', async () => {
    await expectTitles(books, jsonFilter({ and: conditions(50) }), allTitles)
    await books.refused(jsonFilter({ and: conditions(51) }), '50')
    await books.refused(jsonFilter({ or: [{ and: conditions(30) }, { not: { and: conditions(30) } }] }), '50')
  })

  test('count filters without a condition, however many there are', async () => {
    await expectTitles(books, jsonFilter({ and: [{}, { title: 'Fir' }] }), ['Fir'])
    for (const one of [{}, { and: [] }, { not: {} }, { and: [{}] }]) {
      await expectTitles(books, jsonFilter({ and: Array(50).fill(one) }), one.not === undefined ? allTitles : [])
      for (const count of [51, 900]) {
        await books.refused(jsonFilter({ or: Array(count).fill(one) }), '50')
        await books.refused(jsonFilter({ and: Array(count).fill(one) }), '50')
      }
    }
  })

  test('are 5 levels: more is 400', async () => {
    await expectTitles(books, `filter=${nested(2)}`, ['Fir'])
    await expectTitles(books, `filter=${nested(4)}`, ['Fir'])
    await books.refused(`filter=${nested(6)}`, '5')
    await books.refused(`filter=${'{"or":['.repeat(6)}{"title":"Fir"}${']}'.repeat(6)}`, '5')
    const around = '{"authors":{"some":{"books":{"some":'
    await books.refused(`filter=${around.repeat(4)}{}${'}}}}'.repeat(4)}`, '5')
  })

  test('hold however deep a filter is', async () => {
    for (const depth of [1000, 20_000]) {
      await books.refused(`filter=${nested(depth)}`)
      await books.refused(`filter=${'{"or":['.repeat(depth)}{"title":"Fir"}${']}'.repeat(depth)}`)
      await books.refused(`filter=${'['.repeat(depth)}`)
    }
  })

  test('bound a path, which may go around in circles', async () => {
    await expectTitles(books, 'filter[publisher.books.title]=Cedar', ['Cedar', 'Dogwood', 'Elder'])
    const answer = await books.service.get(`/api/book?filter[${'publisher.books.'.repeat(500)}title]=Cedar`)
    expect(answer.status).toBe(400)
  })
})

describeOnBoth('limits.maxFilters and limits.maxFilterDepth', (database) => {
  const limits: object = { maxFilters: 3, maxFilterDepth: 2 }
  const books = useBooks(database, { plugin: { limits } })

  test('set the limits of a filter, in both spellings', async () => {
    const three = 'filter[price]=10&filter[isNew]=true&filter[title]=Gorse'
    await expectTitles(books, three, ['Gorse'])
    await books.refused(`${three}&filter[pages]=100`, '3')
    await expectTitles(books, jsonFilter({ price: { gte: 10, lt: 12 }, isNew: true }), ['Dogwood', 'Gorse'])
    await books.refused(jsonFilter({ price: { gte: 10, lt: 12 }, isNew: true, title: 'Gorse' }), '3')
    await expectTitles(
      books,
      `filter=${nested(1)}`,
      allTitles.filter((title) => title !== 'Fir'),
    )
    await books.refused(`filter=${nested(3)}`, '2')
  })
})

test('limits of filters that are none are refused at start, by name', async () => {
  const [database] = databases as [TestDatabase]
  for (const name of ['maxFilters', 'maxFilterDepth']) {
    for (const value of [1.5, -1, Number.NaN, '5']) {
      const limits = { [name]: value } as object
      await expect(buildApp(database, resources, { plugin: { limits } })).rejects.toThrow(`limits.${name}`)
    }
  }
})
