import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { idOf } from './support/fill-books.ts'
import { useBooks } from './support/use-books.ts'

describeOnBoth('fields and include of the store', (database) => {
  const books = useBooks(database)

  test('are what the routes show', async () => {
    const id = idOf(books.ids.book, 'Amber')
    const found = await books.store('book').find(id, { fields: ['title', 'publisher.name', 'count(tags)'] })
    expect(found).toEqual(await books.service.read(`/api/book/${id}?fields=title,publisher.name,count(tags)`))
    const without = await books.store('book').find(id, { include: ['publisher.books', '-chapters'] })
    expect(without).toEqual(await books.service.read(`/api/book/${id}?include=publisher.books,-chapters`))
  })

  test('hold for lists, with options for what they nest', async () => {
    const page = await books.store('publisher').list({
      include: ['books'],
      fields: ['name', 'books.title'],
      nested: { books: { limit: 1, sort: ['-title'], filter: { price: { lt: 12 } } } },
      sort: ['name'],
    })
    expect(page.count).toBe(3)
    expect(page.rows).toMatchObject([
      { name: 'Ink', books: [{ title: 'Hazel' }] },
      { name: 'Paper', books: [{ title: 'Dogwood' }] },
      { name: 'Quill', books: [] },
    ])
  })

  test('are refused where they are unknown, by name', async () => {
    const id = idOf(books.ids.book, 'Amber')
    for (const [query, name] of [
      [{ fields: ['nowhere'] }, 'nowhere'],
      [{ include: ['nowhere'] }, 'nowhere'],
      [{ includes: ['tags'] }, 'includes'],
    ] as const) {
      const refused = books.store('book').find(id, query)
      await expect(refused).rejects.toMatchObject({ code: 'CRUD_ERR_INVALID' })
      await expect(refused).rejects.toThrow(name)
    }
  })
})
