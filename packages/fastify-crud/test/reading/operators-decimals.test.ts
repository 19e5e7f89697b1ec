import { describe, test } from 'vitest'
import { setups } from '../../../../test/support/databases.ts'
import { expectCondition } from './support/conditions.ts'
import { comparesDecimals } from './support/database-can.ts'
import { jsonFilter, spellings } from './support/spellings.ts'
import { expectTitles, useBooks } from './support/use-books.ts'

describe.each(setups.filter(comparesDecimals))('a condition on a decimal ($title)', (database) => {
  const books = useBooks(database)

  test('compares exact numbers, whatever their zeros', async () => {
    for (const one of ['1.1', '1.10', '1.1000000000000000000000']) {
      await expectCondition(books, 'cost', 'eq', one, ['Amber', 'Birch'])
      await expectCondition(books, 'cost', 'in', [one, '10.00'], ['Amber', 'Birch', 'Cedar'])
      await expectCondition(books, 'cost', 'lt', one, ['Dogwood', 'Hazel'])
      await expectCondition(books, 'cost', 'lte', one, ['Amber', 'Birch', 'Dogwood', 'Hazel'])
    }
    await expectCondition(books, 'cost', 'gt', '9', ['Cedar', 'Fir', 'Gorse'])
    await expectCondition(books, 'cost', 'lt', '-2.49', ['Dogwood'])
    await expectCondition(books, 'cost', 'lt', '-2.5', [])
    await expectCondition(books, 'cost', 'gte', '0', ['Amber', 'Birch', 'Cedar', 'Fir', 'Gorse', 'Hazel'])
  })

  test('has more digits than a number of JavaScript holds', async () => {
    await expectCondition(books, 'cost', 'eq', '99999999999999999999.01', ['Fir'])
    await expectCondition(books, 'cost', 'gt', '99999999999999999999.01', ['Gorse'])
    await expectCondition(books, 'cost', 'gt', '99999999999999999999.0100000000000000000001', ['Gorse'])
    await expectCondition(books, 'cost', 'lt', `1${'0'.repeat(60)}`, [
      'Amber',
      'Birch',
      'Cedar',
      'Dogwood',
      'Fir',
      'Gorse',
      'Hazel',
    ])
  })

  test('matches all other values and null with ne, nin and not', async () => {
    const others = ['Cedar', 'Dogwood', 'Elder', 'Fir', 'Gorse', 'Hazel']
    await expectCondition(books, 'cost', 'ne', '1.100', others)
    await expectCondition(books, 'cost', 'nin', ['1.100'], others)
    await expectTitles(books, jsonFilter({ not: { cost: '1.100' } }), others)
    await expectCondition(books, 'cost', 'null', true, ['Elder'])
  })

  test('is 400 where the value is no decimal', async () => {
    for (const value of ['', 'x', '1,5', '1.', 'NaN', 'Infinity', '0x10']) {
      for (const query of spellings('cost', 'gte', value)) await books.refused(query, 'cost')
    }
    for (const value of [1.1, true]) await books.refused(jsonFilter({ cost: value }), 'cost')
  })

  test('sorts by the exact number, with null at the end', async () => {
    const ascending = ['Dogwood', 'Hazel', 'Amber', 'Birch', 'Cedar', 'Fir', 'Gorse', 'Elder']
    await expectTitles(books, 'sort=cost', ascending)
    await expectTitles(books, 'sort=-cost', ['Gorse', 'Fir', 'Cedar', 'Birch', 'Amber', 'Hazel', 'Dogwood', 'Elder'])
  })
})

describe.each(setups.filter((setup) => !comparesDecimals(setup)))(
  'a decimal in a database that cannot compare decimals ($title)',
  (database) => {
    const books = useBooks(database)

    test('is 400 in a filter and in a sort, by name', async () => {
      for (const operator of ['eq', 'ne', 'lt', 'gte']) {
        for (const query of spellings('cost', operator, '1.1')) await books.refused(query, 'cost')
      }
      for (const query of ['sort=cost', 'sort=title,-cost', 'sort=prequel.cost']) await books.refused(query, 'cost')
      await books.refused(jsonFilter({ 'publisher.books.cost': '1.1' }), 'cost')
    })
  },
)
