import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { idOf } from './support/fill-books.ts'
import { useBooks } from './support/use-books.ts'

/** The paths of all records in a value that are marked. */
function marked(value: JsonBody, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  const here = value.partial === undefined ? [] : [`${path}=${value.partial}`]
  const below = Object.entries(value).flatMap(([key, one]) => marked(one, `${path}/${key}`))
  return [...here, ...below]
}

describeOnBoth('the mark `partial`', (database) => {
  const books = useBooks(database)
  const bookPath = (title: string) => `/api/book/${idOf(books.ids.book, title)}`
  const markedIn = async (path: string) => marked(await books.service.read(path))

  test('is not on whole records', async () => {
    expect(await markedIn('/api/book')).toEqual([])
    expect(await markedIn(bookPath('Amber'))).toEqual([])
  })

  test('is on each record that `fields` has cut, at every depth', async () => {
    expect(await markedIn('/api/book?fields=title&limit=2')).toEqual(['/rows/0=true', '/rows/1=true'])
    expect(await markedIn(`${bookPath('Amber')}?fields=title,chapters.title,publisher.name`)).toEqual(
      expect.arrayContaining(['=true', '/chapters/0=true', '/chapters/1=true', '/publisher=true']),
    )
  })

  test('is not on a related record that is shown as without `fields`', async () => {
    const paths = await markedIn(`${bookPath('Amber')}?fields=title,publisher.name,publisher.city,series.name`)
    expect(paths).toEqual(['=true'])
  })

  test('is not on records that have all their fields, though `fields` names them', async () => {
    expect(await markedIn('/api/publisher?fields=name,city')).toEqual([])
    expect(await markedIn('/api/tag?fields=id,name')).toEqual([])
  })

  test('is on records from which `include` has left something out', async () => {
    expect(await markedIn(`${bookPath('Amber')}?include=-tags`)).toEqual(['=true'])
    expect(await markedIn('/api/book?include=-chapters&limit=1')).toEqual(['/rows/0=true'])
    const below = await markedIn(`${bookPath('Amber')}?include=-chapters.remarks`)
    expect(below).toEqual(expect.arrayContaining(['/chapters/0=true', '/chapters/1=true']))
  })

  test('is not on records to which `include` adds', async () => {
    expect(await markedIn('/api/publisher?include=books')).toEqual([])
    expect(await markedIn(`${bookPath('Amber')}?include=publisher.books`)).toEqual([])
  })

  test('is on records of which an array lacks some by `nested`, and not where it lacks none', async () => {
    expect(await markedIn(`${bookPath('Amber')}?nested[chapters][limit]=1`)).toEqual(['=true'])
    expect(await markedIn(`${bookPath('Amber')}?nested[chapters][limit]=2`)).toEqual([])
    expect(await markedIn(`${bookPath('Amber')}?nested[chapters][sort]=-id`)).toEqual([])
    expect(await markedIn(`${bookPath('Amber')}?nested[chapters][filter]={"place":{"gt":1}}`)).toEqual(['=true'])
    expect(await markedIn(`${bookPath('Amber')}?nested[chapters][filter]={}`)).toEqual([])
  })

  test('is refused in the body of a PUT, so that no cut record is put back', async () => {
    const path = bookPath('Amber')
    const cut = await books.service.read(`${path}?include=-chapters`)
    const refused = { code: 'CRUD_ERR_INVALID', pointers: ['/partial'] } as const
    await books.service.refuse('PUT', path, cut, refused)
    await books.service.refuse('PUT', '/api/book', cut, refused)
    await books.service.refuse('PUT', path, { ...cut, partial: false }, refused)
    const below = await books.service.read(`${path}?include=-chapters.remarks`)
    const { partial: _, ...rest } = below
    const pointers = ['/chapters/0/partial', '/chapters/1/partial']
    await books.service.refuse('PUT', path, rest, { code: 'CRUD_ERR_INVALID', pointers })
  })
})
