import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { foldsAllLetters } from './support/database-can.ts'
import { useBooks } from './support/use-books.ts'
import { asciiLower, byCodePoint, simpleLower, words } from './support/words.ts'

/** The first letters of the titles that a list sorted so shows. */
const orders = {
  id: 'ABCDEFGH',
  '-id': 'HGFEDCBA',
  title: 'ABCDEFGH',
  '-title': 'HGFEDCBA',
  // Null is last in both directions, and ties go by id, in the direction of the last key.
  price: 'HFABDGEC',
  '-price': 'EGDBAFHC',
  pages: 'FABGCEHD',
  '-pages': 'HECGBAFD',
  isNew: 'BEHADGCF',
  '-isNew': 'GDAHEBFC',
  state: 'BFCAEHDG',
  '-state': 'HEACFBGD',
  publishedOn: 'FEBADHCG',
  '-publishedOn': 'HDABEFGC',
  soldAt: 'FEABGCDH',
  '-soldAt': 'CGBAEFHD',
  publisherId: 'ABFGHCDE',
  '-publisherId': 'EDCHGFBA',
  'price,pages': 'HFABGDEC',
  '-price,pages': 'EBGDAFHC',
  '-price,-pages': 'EGBDAFHC',
  'isNew,-price': 'EBHGDAFC',
  'state,title': 'BFCAEHDG',
  '-state,title': 'AEHCBFDG',
  'series.name': 'ABEDGCFH',
  '-series.name': 'GDEBAHFC',
  'publisher.name,-price': 'GBAFHEDC',
  'cover.color': 'DAHBCEFG',
  '-cover.color': 'HADGFECB',
  'prequel.publisher.name': 'BGEACDFH',
  '-prequel.prequel.title,title': 'GABCDEFH',
  'count(tags)': 'CGBDFHAE',
  '-count(tags)': 'EAHFDBGC',
  'count(chapters),-title': 'FCHGDEBA',
  'lower(title)': 'ABCDEFGH',
  '-lower(publisher.name),price': 'DECHFABG',
  'isNew,state,pages,publisher.name,-title': 'BEHAGDFC',
}

describeOnBoth('sort', (database) => {
  const books = useBooks(database)

  for (const [sort, letters] of Object.entries(orders)) {
    test(`puts null last, and then goes by id: sort=${sort}`, async () => {
      expect((await books.titles(`sort=${sort}`)).map((title) => title[0]).join('')).toBe(letters)
    })
  }

  test('goes with pages, filters and the count', async () => {
    const { rows, count } = await books.service.read('/api/book?sort=-price&limit=3&offset=1&filter[price][gte]=0')
    expect([rows.map(({ title }: { title: string }) => title), count]).toEqual([['Gorse', 'Dogwood', 'Birch'], 6])
  })

  test('may go by what needs a record', async () => {
    expect(await books.values('/api/publisher?sort=-count(books)', 'name')).toEqual(['Ink', 'Paper', 'Quill'])
    expect(await books.values('/api/author?sort=count(books)', 'name')).toEqual(['Di', 'Cy', 'Bo', 'Ada'])
    expect(await books.values('/api/quote?sort=-chapter.book.title', 'text')).toEqual([
      'of Dogwood',
      'of Amber',
      'of nobody',
    ])
  })

  test('may go by the count of what a node of a tree owns', async () => {
    const names = await books.values('/api/category?sort=-count(categories)', 'name')
    expect(names).toEqual(['Fiction', 'Facts', 'Empty'])
    expect(await books.values('/api/category?sort=name', 'name')).toEqual(['Empty', 'Facts', 'Fiction'])
  })

  test('has at most 5 keys', async () => {
    expect(await books.titles('sort=isNew,state,price,pages,title')).toHaveLength(8)
    await books.refused('sort=isNew,state,price,pages,title,soldAt', '5')
  })

  for (const [sort, name] of [
    ['tags.name', 'tags'],
    ['-chapters.title', 'chapters'],
    ['publisher.books.title', 'books'],
    ['lower(tags.name)', 'tags'],
    ['publisher', 'publisher'],
    ['tags', 'tags'],
    ['size', 'size'],
    ['extra', 'extra'],
    ['lower(price)', 'price'],
    ['lower(nowhere)', 'nowhere'],
    ['count(nowhere)', 'nowhere'],
    ['count(price)', 'price'],
    ['upper(title)', 'upper'],
    ['lower(title', 'title'],
    ['lower()', 'lower'],
    ['count()', 'count'],
    ['lower(lower(title))', 'lower'],
    ['lower(-title)', 'title'],
  ] as const) {
    test(`is 400 by what has no order: sort=${sort}`, () => books.refused(`sort=${sort}`, name))
  }
})

describeOnBoth('sort of strings', (database) => {
  const books = useBooks(database)

  /** The positions of the words that are sorted so; where two are the same, the first comes first, or the last. */
  function sorted(key: (text: string) => string, isDescending: boolean): (string | null)[] {
    const sign = isDescending ? -1 : 1
    const compare = (a: string | null, b: string | null) => {
      if (a === null || b === null) return Number(a === null) - Number(b === null)
      return sign * byCodePoint(key(a), key(b))
    }
    const rows = words.map((text, n) => ({ text, n }))
    return rows.sort((a, b) => compare(a.text, b.text) || sign * (a.n - b.n)).map(({ text }) => text)
  }

  test('goes by code point, on both databases the same', async () => {
    const plain = (text: string) => text
    expect(await books.values('/api/word?limit=100&sort=text', 'text')).toEqual(sorted(plain, false))
    expect(await books.values('/api/word?limit=100&sort=-text', 'text')).toEqual(sorted(plain, true))
  })

  test('goes by the simple lower case of each code point with lower(…)', async () => {
    const lower = (await foldsAllLetters(database, books.service.db)) ? simpleLower : asciiLower
    expect(await books.values('/api/word?limit=100&sort=lower(text)', 'text')).toEqual(sorted(lower, false))
    expect(await books.values('/api/word?limit=100&sort=-lower(text)', 'text')).toEqual(sorted(lower, true))
  })

  test('puts the rows of equal strings in the order of their ids', async () => {
    for (const sort of ['text', '-text']) {
      const ids = await books.values(`/api/word?filter[text]=tie&sort=${sort}`, 'id')
      const ascending = [...ids].sort((a, b) => a - b)
      expect(ids).toEqual(sort === 'text' ? ascending : ascending.reverse())
    }
  })
})
