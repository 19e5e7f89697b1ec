import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { allTitles } from './support/book-rows.ts'
import { idOf } from './support/fill-books.ts'
import { type QueryStore, useBooks } from './support/use-books.ts'

interface Owning extends QueryStore {
  owned(id: number, relation: string): QueryStore
}

describeOnBoth('a list of the store', (database) => {
  const books = useBooks(database)

  async function titles(query: object): Promise<string[]> {
    const { rows } = await books.store('book').list(query)
    return rows.map(({ title }: { title: string }) => title)
  }

  test('takes a filter and a sort', async () => {
    expect(await titles({ filter: { price: { gte: 10 } }, sort: ['-price'] })).toEqual([
      'Elder',
      'Gorse',
      'Dogwood',
      'Birch',
    ])
    const filter = { or: [{ price: { lt: 5 } }, { 'publisher.name': 'Paper', chapters: { some: { place: 1 } } }] }
    expect(await titles({ filter, sort: ['series.name', '-title'] })).toEqual(['Elder', 'Dogwood', 'Hazel', 'Fir'])
    expect(await titles({ sort: ['-count(tags)', 'title'], limit: 3, offset: 1 })).toEqual([
      'Amber',
      'Birch',
      'Dogwood',
    ])
    expect(await titles({ filter: {}, sort: [] })).toEqual(allTitles)
  })

  test('is what the route shows', async () => {
    const query = { filter: { isNew: true }, sort: ['-title'], limit: 2 }
    const page = await books.service.read('/api/book?filter[isNew]=true&sort=-title&limit=2')
    expect(await books.store('book').list(query)).toEqual(page)
  })

  test('is so for what a record owns', async () => {
    const chapters = (books.store('book') as Owning).owned(idOf(books.ids.book, 'Birch'), 'chapters')
    const page = await chapters.list({ filter: { place: { gte: 1 } }, sort: ['place'] })
    expect(page).toMatchObject({ rows: [{ title: 'End' }, { title: 'Start' }], count: 2 })
  })

  test('refuses what is unknown, by name', async () => {
    for (const [query, name] of [
      [{ filter: { nowhere: 1 } }, 'nowhere'],
      [{ filter: { price: { above: 1 } } }, 'above'],
      [{ filter: { price: '1' } }, 'price'],
      [{ filter: { or: [] } }, 'or'],
      [{ sort: ['nowhere'] }, 'nowhere'],
      [{ sort: ['tags.name'] }, 'tags'],
      [{ order: ['title'] }, 'order'],
    ] as const) {
      const refused = books.store('book').list(query)
      await expect(refused).rejects.toMatchObject({ code: 'CRUD_ERR_INVALID' })
      await expect(refused).rejects.toThrow(name)
    }
  })
})
