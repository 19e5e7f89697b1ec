import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { idOf } from './support/fill-books.ts'
import { useBooks } from './support/use-books.ts'

const titlesOf = (rows: JsonBody[]) => rows.map(({ title }) => title)

describeOnBoth('include', (database) => {
  const books = useBooks(database)
  const bookPath = (title: string) => `/api/book/${idOf(books.ids.book, title)}`

  test('adds what a record does not carry by itself, in lists and in single records', async () => {
    const { rows, count } = await books.service.read('/api/publisher?include=books')
    expect(count).toBe(3)
    expect(rows.map(({ books }: JsonBody) => titlesOf(books))).toEqual([
      ['Amber', 'Birch', 'Fir', 'Gorse', 'Hazel'],
      ['Cedar', 'Dogwood', 'Elder'],
      [],
    ])
    const path = `/api/publisher/${idOf(books.ids.publisher, 'Paper')}`
    expect(await books.service.read(`${path}?include=books`)).toEqual(rows[1])
    const { books: _, ...withoutBooks } = rows[1]
    expect(await books.service.read(path)).toEqual(withoutBooks)
  })

  test('shows related records by their id and plain fields, as everywhere', async () => {
    const { prequel } = await books.service.read(bookPath('Elder'))
    const path = `/api/publisher/${idOf(books.ids.publisher, 'Paper')}`
    expect((await books.service.read(`${path}?include=books`)).books[1]).toEqual(prequel)
  })

  test('adds relations of what it adds', async () => {
    const path = `/api/publisher/${idOf(books.ids.publisher, 'Paper')}?include=books,books.tags,books.chapters`
    const { books: shown } = await books.service.read(path)
    const tags = shown.map(({ tags }: JsonBody) => tags.map(({ name }: JsonBody) => name))
    expect(tags).toEqual([[], ['blue'], ['red', 'blue', 'green']])
    const dogwood = await books.service.read(bookPath('Dogwood'))
    expect(shown[1].chapters).toEqual(dogwood.chapters)
    expect(shown[1]).not.toHaveProperty('authors')
  })

  test('adds relations of what a record carries by itself', async () => {
    const whole = await books.service.read(bookPath('Birch'))
    const shown = await books.service.read(`${bookPath('Birch')}?include=prequel.tags,authors.books`)
    expect(shown).toMatchObject(whole)
    expect(shown.prequel.tags.map(({ name }: JsonBody) => name)).toEqual(['red', 'blue'])
    expect(shown.authors.map(({ books }: JsonBody) => titlesOf(books))).toEqual([
      ['Amber', 'Birch', 'Dogwood', 'Elder', 'Fir'],
      ['Birch', 'Cedar', 'Elder', 'Hazel'],
    ])
  })

  test('adds the owner of an owned record', async () => {
    const { rows } = await books.service.read(`${bookPath('Birch')}/chapter?include=book`)
    expect(rows.map(({ book }: JsonBody) => book.title)).toEqual(['Birch', 'Birch'])
    expect(rows[0].book).not.toHaveProperty('chapters')
    const quotes = await books.service.read('/api/quote?include=chapter.book')
    expect(quotes.rows.map(({ chapter }: JsonBody) => chapter?.book.title)).toEqual(['Amber', 'Dogwood', undefined])
  })

  test('adds the parent of a node, and null to a root', async () => {
    const path = `/api/category/${idOf(books.ids.category, 'Fiction')}`
    expect((await books.service.read(`${path}?include=parent`)).parent).toBeNull()
    const { rows } = await books.service.read(`${path}/category?include=parent`)
    const parent = { id: idOf(books.ids.category, 'Fiction'), name: 'Fiction' }
    expect(rows.map(({ parent }: JsonBody) => parent)).toEqual([parent, parent])
  })

  test('leaves out what a record carries by itself with a minus', async () => {
    const { chapters: _c, tags: _t, ...others } = await books.service.read(bookPath('Amber'))
    const path = `${bookPath('Amber')}?include=-chapters,-tags`
    expect(await books.service.read(path)).toEqual({ ...others, partial: true })
    expect((await books.service.read('/api/book?include=-chapters,-tags&limit=1')).rows).toEqual([
      { ...others, partial: true },
    ])
  })

  test('leaves a foreign key beside a record that it leaves out', async () => {
    const { series: _, ...others } = await books.service.read(bookPath('Amber'))
    expect(await books.service.read(`${bookPath('Amber')}?include=-series`)).toEqual({ ...others, partial: true })
  })

  test('leaves out what is below', async () => {
    const { chapters } = await books.service.read(`${bookPath('Amber')}?include=-chapters.remarks`)
    const whole = await books.service.read(bookPath('Amber'))
    const expected = whole.chapters.map(({ remarks: _, ...chapter }: JsonBody) => ({ ...chapter, partial: true }))
    expect(chapters).toEqual(expected)
  })

  test('leaves out the tree below each root', async () => {
    const { rows } = await books.service.read('/api/category?include=-categories')
    const rootOf = (name: string) => ({ id: idOf(books.ids.category, name), name, partial: true })
    expect(rows).toEqual(['Fiction', 'Facts', 'Empty'].map(rootOf))
  })

  test('adds and leaves out in one', async () => {
    const shown = await books.service.read(`${bookPath('Birch')}?include=publisher.books,-chapters,-cover`)
    expect(shown.publisher.books).toHaveLength(5)
    expect(shown).not.toHaveProperty('chapters')
    expect(shown.tags).toHaveLength(1)
  })

  test('goes with fields, which may name what it adds', async () => {
    const query = 'include=books&fields=name,books.title'
    const { rows } = await books.service.read(`/api/publisher?${query}&filter[name]=Paper`)
    expect(rows).toMatchObject([
      { name: 'Paper', books: [{ title: 'Cedar' }, { title: 'Dogwood' }, { title: 'Elder' }] },
    ])
    expect(rows[0]).not.toHaveProperty('city')
    expect(rows[0].books[0]).not.toHaveProperty('price')
  })

  test('goes to a depth of 3', async () => {
    const path = `/api/publisher/${idOf(books.ids.publisher, 'Paper')}`
    const three = 'include=books,books.authors,books.authors.books'
    const shown = await books.service.read(`${path}?${three}`)
    expect(titlesOf(shown.books[1].authors[0].books)).toEqual(['Amber', 'Birch', 'Dogwood', 'Elder', 'Fir'])
    await books.refusedAt(`${path}?${three},books.authors.books.tags`, 'tags')
  })

  for (const [include, name] of [
    ['nowhere', 'nowhere'],
    ['publisher.nowhere', 'nowhere'],
    ['nobody.books', 'nobody'],
    ['title', 'title'],
    ['-nowhere', 'nowhere'],
    ['-title', 'title'],
    ['', 'include'],
    ['tags,', 'include'],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['-', 'include'],
  ] as const) {
    test(`is 400 for what is no relation: include=${include}`, async () => {
      await books.refused(`include=${include}`, name)
      await books.refusedAt(`${bookPath('Amber')}?include=${include}`, name)
    })
  }

  test('is reported with all that is wrong besides', async () => {
    const query = 'fields=nowhere&include=nothing&filter[nobody]=1&sort=nix&limit=0&nested[niente][limit]=1&nada=1'
    await books.refused(query, 'nowhere', 'nothing', 'nobody', 'nix', 'limit', 'niente', 'nada')
  })

  test('is refused with a write, which does nothing', async () => {
    const refused = { code: 'CRUD_ERR_INVALID' } as const
    await books.service.refuse('DELETE', `${bookPath('Amber')}?include=tags`, undefined, refused)
    await books.service.refuse('DELETE', `${bookPath('Amber')}?fields=title`, undefined, refused)
  })
})
