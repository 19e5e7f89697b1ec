import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectCondition, expectWords } from './support/conditions.ts'
import { foldsAllLetters } from './support/database-can.ts'
import { spellings } from './support/spellings.ts'
import { useBooks } from './support/use-books.ts'
import { asciiLower, byCodePoint, simpleLower, texts, words } from './support/words.ts'

const comparisons = {
  eq: (a: string, b: string) => a === b,
  lt: (a: string, b: string) => byCodePoint(a, b) < 0,
  lte: (a: string, b: string) => byCodePoint(a, b) <= 0,
  gt: (a: string, b: string) => byCodePoint(a, b) > 0,
  gte: (a: string, b: string) => byCodePoint(a, b) >= 0,
}

const searches = {
  contains: (a: string, b: string) => a.includes(b),
  startsWith: (a: string, b: string) => a.startsWith(b),
  endsWith: (a: string, b: string) => a.endsWith(b),
}

const parts = [
  'a',
  'A',
  'ab',
  'b',
  '%',
  '_',
  '\\',
  'a%',
  'a_',
  'a\\',
  '*',
  '?',
  '[',
  "'",
  '"',
  ' ',
  '',
  '\u0301',
  'é',
  '😀',
]

describeOnBoth('a condition on a string', (database) => {
  const books = useBooks(database)

  for (const [operator, compare] of Object.entries(comparisons)) {
    test(`compares by code point, exactly: ${operator}`, async () => {
      for (const value of [
        '',
        'A',
        'a',
        'ab',
        'ab ',
        'é',
        'z',
        '10',
        '\ud7ff',
        '\ue000',
        '\ufffd',
        '\u{10000}',
        '😀',
      ]) {
        await expectWords(books, operator, value, (word) => word !== null && compare(word, value))
      }
    })
  }

  for (const [operator, matches] of Object.entries(searches)) {
    test(`takes %, _ and \\ as plain characters, and case as it is: ${operator}`, async () => {
      for (const part of [...parts, '\ufffd', '\u{10ffff}']) {
        await expectWords(books, operator, part, (word) => word !== null && matches(word, part))
      }
    })
  }

  test('matches each of a list with in, and all others and null with nin', async () => {
    const list = ['a', 'É', 'a%', '', '😀', 'nobody']
    await expectWords(books, 'in', list, (word) => word !== null && list.includes(word))
    await expectWords(books, 'nin', list, (word) => word === null || !list.includes(word))
  })

  test('matches all others and null with ne', async () => {
    for (const value of ['tie', 'null', '', 'nobody']) await expectWords(books, 'ne', value, (word) => word !== value)
  })

  test('finds exactly each word by itself', async () => {
    for (const value of new Set(texts)) await expectWords(books, 'eq', value, (word) => word === value)
  })
})

describeOnBoth('a case-insensitive condition', (database) => {
  const books = useBooks(database)
  const parts = [
    'AB',
    'aB',
    'É',
    'é',
    'ẞ',
    'ß',
    'SS',
    'İ',
    'I',
    'i',
    'ı',
    'Σ',
    'ς',
    'K',
    '\u212a',
    '😀',
    '',
    '%',
    'A_',
    'NULL',
  ]

  test('compares the simple lower case of each code point, or of ASCII letters where the database cannot', async () => {
    const lower = (await foldsAllLetters(database, books.service.db)) ? simpleLower : asciiLower
    for (const part of parts) {
      await expectWords(books, 'icontains', part, (word) => word !== null && lower(word).includes(lower(part)))
      await expectWords(books, 'istartsWith', part, (word) => word !== null && lower(word).startsWith(lower(part)))
      await expectWords(books, 'iendsWith', part, (word) => word !== null && lower(word).endsWith(lower(part)))
    }
  })

  test('has these three operators, and no others', async () => {
    for (const operator of ['ieq', 'iends', 'like', 'ilike']) {
      for (const query of spellings('text', operator, 'a')) await books.refusedAt(`/api/word?${query}`, operator)
    }
  })
})

describeOnBoth('a condition on an enum', (database) => {
  const books = useBooks(database)

  test('compares it as a string', async () => {
    await expectCondition(books, 'state', 'eq', 'out', ['Amber', 'Elder', 'Hazel'])
    await expectCondition(books, 'state', 'ne', 'out', ['Birch', 'Cedar', 'Dogwood', 'Fir', 'Gorse'])
    await expectCondition(books, 'state', 'in', ['draft', 'lost'], ['Birch', 'Cedar', 'Fir'])
    await expectCondition(books, 'state', 'gte', 'lost', ['Amber', 'Cedar', 'Elder', 'Hazel'])
    await expectCondition(books, 'state', 'lt', 'lost', ['Birch', 'Fir'])
    await expectCondition(books, 'state', 'null', true, ['Dogwood', 'Gorse'])
    await expectCondition(books, 'state', 'startsWith', 'd', ['Birch', 'Fir'])
    await expectCondition(books, 'state', 'contains', 'nowhere', [])
  })

  test('to a value that it does not have is refused, and the answer names those that it has', async () => {
    for (const operator of ['eq', 'ne']) {
      for (const query of spellings('state', operator, 'dratf')) await books.refused(query, '"draft"', '"lost"')
    }
    for (const operator of ['in', 'nin']) {
      for (const query of spellings('state', operator, ['draft', 'dratf'])) await books.refused(query, '[1]', '"draft"')
    }
  })
})

test('the words of these tests have what databases disagree about', () => {
  const byUnit = [...texts].sort()
  expect([...texts].sort(byCodePoint)).not.toEqual(byUnit)
  expect(words.filter((word) => word === null)).toHaveLength(2)
})
