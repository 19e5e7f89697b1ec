import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { idOf } from './support/fill-books.ts'
import { asQuery } from './support/spellings.ts'
import { useBooks } from './support/use-books.ts'

describeOnBoth('fields', (database) => {
  const books = useBooks(database)
  const pathOf = (title: string) => `/api/book/${idOf(books.ids.book, title)}`

  test('are the only ones in an answer, beside the id', async () => {
    const id = idOf(books.ids.book, 'Elder')
    const expected = { id, title: 'Elder', price: 12.5, partial: true }
    expect(await books.service.read(`${pathOf('Elder')}?fields=title,price`)).toEqual(expected)
    expect((await books.service.read('/api/book?fields=title,price')).rows[4]).toEqual(expected)
    expect(await books.service.read(`${pathOf('Elder')}?fields=id`)).toEqual({ id, partial: true })
  })

  test('come in every type, null too, as they are in the whole record', async () => {
    const names = [
      'pages',
      'cost',
      'soldAt',
      'publishedOn',
      'state',
      'isNew',
      'size',
      'extra',
      'comment',
      'publisherId',
    ]
    for (const title of ['Amber', 'Cedar', 'Elder']) {
      const whole = await books.service.read(pathOf(title))
      for (const name of names) {
        const cut = await books.service.read(`${pathOf(title)}?fields=${name}`)
        expect(cut).toEqual({ id: whole.id, [name]: whole[name], partial: true })
      }
    }
  })

  test('may be of related records, which then have these and their ids', async () => {
    const whole = await books.service.read(pathOf('Amber'))
    const fields = 'title,publisher.name,chapters.title,cover.color,series.id'
    expect(await books.service.read(`${pathOf('Amber')}?fields=${fields}`)).toMatchObject({
      id: whole.id,
      title: 'Amber',
      publisher: { id: whole.publisherId, name: 'Ink' },
      chapters: whole.chapters.map(({ id, title }: { id: number; title: string }) => ({ id, title })),
      cover: { id: whole.cover.id, color: 'red' },
      series: { id: whole.seriesId },
    })
    const { publisher, chapters, cover, ...others } = await books.service.read(`${pathOf('Amber')}?fields=${fields}`)
    expect(others).not.toHaveProperty('price')
    expect(others).not.toHaveProperty('tags')
    expect(publisher).not.toHaveProperty('city')
    expect(cover).not.toHaveProperty('url')
    for (const chapter of chapters) {
      expect(chapter).not.toHaveProperty('place')
      expect(chapter).not.toHaveProperty('remarks')
    }
  })

  test('may reach several levels down', async () => {
    const { chapters } = await books.service.read(`${pathOf('Amber')}?fields=chapters.remarks.text`)
    expect(chapters).toMatchObject([{ remarks: [{ text: 'why' }, { text: 'how' }] }, { remarks: [] }])
    expect(chapters[0]).not.toHaveProperty('title')
  })

  test('are null or an empty list where there is no related record', async () => {
    const cut = await books.service.read(`${pathOf('Cedar')}?fields=series.name,chapters.title,tags.name,prequel.title`)
    expect(cut).toMatchObject({ series: null, chapters: [], tags: [], prequel: null })
  })

  test('may be counts of related records', async () => {
    const { rows } = await books.service.read('/api/book?fields=title,count(tags),count(chapters)&limit=3')
    expect(rows).toEqual([
      { id: idOf(books.ids.book, 'Amber'), title: 'Amber', 'count(tags)': 2, 'count(chapters)': 2, partial: true },
      { id: idOf(books.ids.book, 'Birch'), title: 'Birch', 'count(tags)': 1, 'count(chapters)': 2, partial: true },
      { id: idOf(books.ids.book, 'Cedar'), title: 'Cedar', 'count(tags)': 0, 'count(chapters)': 0, partial: true },
    ])
    const counts = await books.values('/api/publisher?fields=count(books)', 'count(books)')
    expect(counts).toEqual([5, 3, 0])
  })

  test('leave filters, sorts, pages and the count as they are', async () => {
    const query = 'fields=title&filter[chapters.title]=Start&sort=-price&limit=2&offset=1'
    const { rows, count } = await books.service.read(`/api/book?${query}`)
    expect([rows.map(({ title }: { title: string }) => title), count]).toEqual([['Birch', 'Amber'], 4])
  })

  test('hold for what a record owns, in lists and by its id', async () => {
    const { rows } = await books.service.read(`${pathOf('Birch')}/chapter?fields=place`)
    expect(rows).toEqual([
      { id: expect.any(Number), place: 2, partial: true },
      { id: expect.any(Number), place: 1, partial: true },
    ])
    expect(await books.service.read(`${pathOf('Birch')}/chapter/${rows[1].id}?fields=place`)).toEqual(rows[1])
  })

  test('read nothing else', async () => {
    const statements = await books.service.statements(() => books.service.read('/api/book?fields=title,price'))
    expect(statements.join('\n')).toMatch(/price/)
    expect(statements.join('\n')).not.toMatch(/comment|chapter|cover|author|publisher|series|tag/i)
  })

  test('leave an id that names no record 404', () =>
    books.service.refuse('GET', '/api/book/999999?fields=title', undefined, { code: 'CRUD_ERR_NOT_FOUND' }))

  for (const [fields, name] of [
    ['nowhere', 'nowhere'],
    ['title,publisher.nowhere', 'nowhere'],
    ['nobody.name', 'nobody'],
    ['title.length', 'title'],
    ['count(nowhere)', 'nowhere'],
    ['count(price)', 'price'],
    ['lower(title)', 'lower'],
    ['-title', 'title'],
    ['*', '*'],
    ['', 'fields'],
    ['title,', 'fields'],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
  ] as const) {
    test(`are 400 where they are unknown: fields=${fields}`, async () => {
      await books.refused(asQuery({ fields }), name)
      await books.refusedAt(`${pathOf('Amber')}?${asQuery({ fields })}`, name)
    })
  }
})
