import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { idOf } from './support/fill-books.ts'
import { jsonFilter } from './support/spellings.ts'
import { useBooks } from './support/use-books.ts'

describeOnBoth('a list of what a record owns', (database) => {
  const books = useBooks(database)
  const chaptersOf = (title: string) => `/api/book/${idOf(books.ids.book, title)}/chapter`

  /** Title and place of each row, and the count. */
  async function shown(path: string): Promise<[string[], number]> {
    const { rows, count } = await books.service.read(path)
    return [rows.map(({ title, place }: JsonBody) => `${title} ${place}`), count]
  }

  test('is filtered, within this owner', async () => {
    expect(await shown(`${chaptersOf('Amber')}?filter[title]=End`)).toEqual([['End 2'], 1])
    expect(await shown(`${chaptersOf('Elder')}?filter[title]=End`)).toEqual([[], 0])
    expect(await shown(`${chaptersOf('Cedar')}?filter[title]=End`)).toEqual([[], 0])
    const either = jsonFilter({ or: [{ title: 'End' }, { place: 1 }] })
    expect(await shown(`${chaptersOf('Birch')}?${either}`)).toEqual([['End 1'], 1])
    expect(await shown(`${chaptersOf('Amber')}?${either}`)).toEqual([['Start 1', 'End 2'], 2])
  })

  test('is sorted', async () => {
    expect(await shown(`${chaptersOf('Birch')}?sort=place`)).toEqual([['End 1', 'Start 2'], 2])
    expect(await shown(`${chaptersOf('Elder')}?sort=-place`)).toEqual([['Start 3', 'Start 1'], 2])
    expect(await shown(`${chaptersOf('Elder')}?sort=-title`)).toEqual([['Start 3', 'Start 1'], 2])
    expect(await shown(`${chaptersOf('Amber')}?sort=-count(remarks)&limit=1`)).toEqual([['Start 1'], 2])
    expect(await shown(`${chaptersOf('Amber')}?sort=-translator.name&limit=1&offset=1`)).toEqual([['End 2'], 2])
  })

  test('is filtered through relations, down, aside and up', async () => {
    expect(await shown(`${chaptersOf('Amber')}?filter[remarks.text]=how`)).toEqual([['Start 1'], 1])
    expect(await shown(`${chaptersOf('Amber')}?filter[translator.name]=Bo`)).toEqual([['Start 1'], 1])
    expect(await shown(`${chaptersOf('Amber')}?filter[book.publisher.name]=Ink`)).toEqual([['Start 1', 'End 2'], 2])
    expect(await shown(`${chaptersOf('Amber')}?filter[book.title]=Birch`)).toEqual([[], 0])
    expect(await shown(`${chaptersOf('Amber')}?filter[book.chapters.place]=2`)).toEqual([['Start 1', 'End 2'], 2])
  })

  test('is so at every depth', async () => {
    const [first] = (await books.service.read(chaptersOf('Amber'))).rows
    const path = `${chaptersOf('Amber')}/${first.id}/remark`
    expect(await books.values(`${path}?sort=text`, 'text')).toEqual(['how', 'why'])
    expect(await books.values(`${path}?filter[text][startsWith]=w`, 'text')).toEqual(['why'])
    expect(await books.values(`${path}?filter[chapter.book.title]=Amber&sort=-text`, 'text')).toEqual(['why', 'how'])
  })

  test('is so for what a record owns one of', async () => {
    const path = `/api/book/${idOf(books.ids.book, 'Amber')}/cover`
    expect((await books.service.read(`${path}?filter[color]=red`)).count).toBe(1)
    expect((await books.service.read(`${path}?filter[color][ne]=red`)).count).toBe(0)
  })

  test('is 404 if there is no such owner, and 400 first if the query is wrong', async () => {
    const path = '/api/book/999999/chapter'
    await books.service.refuse('GET', `${path}?filter[title]=End`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await books.refusedAt(`${path}?filter[nowhere]=End`, 'nowhere')
  })
})
