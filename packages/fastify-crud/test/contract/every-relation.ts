import { beforeEach, expect, test } from 'vitest'
import type { TestApp } from '../../../../test/support/app.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { updatesIn } from '../../../../test/support/statement-log.ts'
import { type TestIds, testIds } from '../../../../test/support/test-ids.ts'

/** Goes through every relation kind and verb once, on a service with the resources of `models/library.ts`. */
export function testEveryRelation(
  service: TestApp,
  { anyId, missingId, largeIds, nextId, givenId }: TestIds = testIds,
): void {
  // Where clients give ids, an element with an unknown one is new: it has to be complete.
  const unknownElement = givenId('chapter') === undefined ? 'CRUD_ERR_UNKNOWN_REFERENCE' : 'CRUD_ERR_INVALID'
  const placeOfUnknown = givenId('chapter') === undefined ? '/chapters/0/id' : '/chapters/0/mainTitle'

  let publisher: JsonBody
  let authors: JsonBody[]
  let tags: JsonBody[]
  let book: JsonBody
  let path: string

  beforeEach(async () => {
    publisher = await service.add('/api/publisher', { fullName: 'P', foundedOn: '1999-12-31' })
    authors = []
    for (const firstName of ['A', 'B']) authors.push(await service.add('/api/author', { firstName }))
    tags = []
    for (const tagName of ['t', 'u']) tags.push(await service.add('/api/tag', { tagName }))
    book = await service.add('/api/book', {
      mainTitle: 'one',
      unitPrice: 12.5,
      isOut: true,
      extraData: { snake_key: 1, camelKey: [{ innerKey: 2, inner_key: 3 }] },
      mainPublisherId: publisher.id,
      authors: authors.map(({ id }) => ({ id })),
      cover: { imageUrl: 'c' },
      chapters: [{ mainTitle: 'c1', pageCount: 3, chiefEditorId: authors[1].id }, { mainTitle: 'c2' }],
      bookTags: [{ id: tags[1].id }, { id: tags[0].id }],
    })
    path = `/api/book/${book.id}`
  })

  test('POST, GET and the row of a list', async () => {
    expect(book).toEqual({
      id: anyId,
      mainTitle: 'one',
      unitPrice: 12.5,
      isOut: true,
      extraData: { snake_key: 1, camelKey: [{ innerKey: 2, inner_key: 3 }] },
      mainPublisherId: publisher.id,
      mainPublisher: publisher,
      authors,
      cover: { id: anyId, imageUrl: 'c' },
      chapters: [
        {
          id: anyId,
          mainTitle: 'c1',
          pageCount: 3,
          chiefEditorId: authors[1].id,
          chiefEditor: authors[1],
        },
        { id: anyId, mainTitle: 'c2', pageCount: null, chiefEditorId: null, chiefEditor: null },
      ],
      nextBookId: null,
      nextBook: null,
      bookTags: tags,
    })
    expect(await service.read(path)).toEqual(book)
    expect(await service.read('/api/book?limit=1')).toEqual({ rows: [book], count: 1 })
  })

  test('a required field alone, and defaults', async () => {
    const plain = { mainTitle: 'two', mainPublisherId: publisher.id, authors: [{ id: authors[0].id }] }
    expect(await service.add('/api/book', plain)).toMatchObject({
      unitPrice: null,
      isOut: false,
      extraData: null,
      cover: null,
      chapters: [],
      bookTags: [],
    })
  })

  test('PUT of what GET returned runs no UPDATE', async () => {
    const before = await service.snapshot()
    const statements = await service.statements(async () => {
      expect((await service.put(path, book)).body).toEqual(book)
    })
    expect(updatesIn(statements)).toEqual([])
    expect(await service.snapshot()).toEqual(before)
  })

  test('PUT replaces fields and relations', async () => {
    const [c1] = book.chapters
    const { status, body } = await service.put(path, {
      mainTitle: 'new',
      mainPublisherId: publisher.id,
      authors: [{ id: authors[1].id }],
      cover: { imageUrl: 'd' },
      chapters: [
        { mainTitle: 'c3', pageCount: 0 },
        { id: c1.id, mainTitle: 'c2' },
      ],
      nextBookId: book.id,
      bookTags: [{ id: tags[1].id }],
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: book.id,
      mainTitle: 'new',
      unitPrice: null,
      isOut: false,
      extraData: null,
      mainPublisherId: publisher.id,
      mainPublisher: publisher,
      authors: [authors[1]],
      cover: { id: book.cover.id, imageUrl: 'd' },
      chapters: [
        { id: c1.id, mainTitle: 'c2', pageCount: null, chiefEditorId: null, chiefEditor: null },
        { id: anyId, mainTitle: 'c3', pageCount: 0, chiefEditorId: null, chiefEditor: null },
      ],
      nextBookId: book.id,
      nextBook: { id: book.id, mainTitle: 'new', unitPrice: null, isOut: false, extraData: null },
      bookTags: [tags[1]],
    })
    expect(await service.read(path)).toEqual(body)
  })

  test('PATCH changes what it lists', async () => {
    const [c1, c2] = book.chapters
    const { body } = await service.patch(path, {
      isOut: false,
      cover: null,
      chapters: [{ id: c2.id, chiefEditorId: authors[0].id }],
      nextBookId: book.id,
      bookTags: [],
    })
    expect(body).toEqual({
      ...book,
      isOut: false,
      cover: null,
      chapters: [c1, { ...c2, chiefEditorId: authors[0].id, chiefEditor: authors[0] }],
      nextBookId: book.id,
      nextBook: expect.objectContaining({ id: book.id, isOut: false }),
    })
    expect(await service.read(path)).toEqual(body)
  })

  test('unique values are swapped, and refused by the names that the client knows', async () => {
    const [c1, c2] = book.chapters
    const chapters = [
      { ...c1, mainTitle: 'c2' },
      { ...c2, mainTitle: 'c1' },
    ]
    expect((await service.put(path, { ...book, chapters })).body).toEqual({ ...book, chapters })
    const twin = { mainTitle: 'one', mainPublisherId: publisher.id, authors: [{ id: authors[0].id }] }
    await service.refuse('POST', '/api/book', twin, {
      code: 'CRUD_ERR_NOT_UNIQUE',
      pointers: ['/mainTitle'],
      detail: /mainTitle/,
    })
    await service.refuse(
      'PATCH',
      path,
      { chapters: [{ mainTitle: 'c1' }] },
      {
        code: 'CRUD_ERR_NOT_UNIQUE',
        pointers: ['/chapters/0/mainTitle'],
      },
    )
  })

  test('a reference that does not exist is 400', async () => {
    const unknown = 'CRUD_ERR_UNKNOWN_REFERENCE'
    await service.refuse(
      'PATCH',
      path,
      { mainPublisherId: missingId('publisher') },
      { code: unknown, pointers: ['/mainPublisherId'] },
    )
    await service.refuse(
      'PATCH',
      path,
      { authors: [{ id: missingId('author') }] },
      { code: unknown, pointers: ['/authors/0/id'] },
    )
    await service.refuse(
      'PATCH',
      path,
      { bookTags: [{ id: missingId('tag') }] },
      { code: unknown, pointers: ['/bookTags/0/id'] },
    )
    await service.refuse(
      'PATCH',
      path,
      { chapters: [{ id: missingId('chapter') }] },
      { code: unknownElement, pointers: [placeOfUnknown] },
    )
  })

  test('ids that columns may have no room for: 404 in a path, 400 in a body', async () => {
    const code = 'CRUD_ERR_UNKNOWN_REFERENCE'
    for (const large of largeIds('book')) {
      for (const url of [`/api/book/${large}`, `/api/book/${large}/chapter`]) {
        await service.refuse('GET', url, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
      }
      await service.refuse('PATCH', path, { nextBookId: large }, { code, pointers: ['/nextBookId'] })
    }
    for (const large of largeIds('tag')) {
      await service.refuse('DELETE', `/api/tag/${large}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
      await service.refuse('PATCH', `/api/tag/${large}`, { tagName: 'x' }, { code: 'CRUD_ERR_NOT_FOUND' })
      await service.refuse('PATCH', path, { bookTags: [{ id: large }] }, { code, pointers: ['/bookTags/0/id'] })
    }
    for (const large of largeIds('publisher')) {
      await service.refuse('PATCH', path, { mainPublisherId: large }, { code, pointers: ['/mainPublisherId'] })
    }
    for (const large of largeIds('chapter')) {
      await service.refuse('GET', `${path}/chapter/${large}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
      const refused = { code: unknownElement, pointers: [placeOfUnknown] } as const
      await service.refuse('PATCH', path, { chapters: [{ id: large }] }, refused)
    }
  })

  test('the endpoints below the owner', async () => {
    const nested = `${path}/chapter`
    expect(await service.read(`${nested}?limit=1&offset=1`)).toEqual({ rows: [book.chapters[1]], count: 2 })
    const { id } = await service.add(nested, { mainTitle: 'c3' })
    expect((await service.patch(`${nested}/${id}`, { pageCount: 9 })).body).toMatchObject({ id, pageCount: 9 })
    expect((await service.delete(`${nested}/${id}`)).status).toBe(204)
    await service.refuse('POST', `${path}/cover`, { imageUrl: 'x' }, { code: 'CRUD_ERR_EXISTS' })
    expect(await service.read(path)).toEqual(book)
  })

  test('POST under an id, and creates after it', async () => {
    const { id } = await service.add('/api/author', { firstName: 'C' })
    expect((await service.post(`/api/author/${nextId('author', id)}`, { firstName: 'D' })).status).toBe(201)
    await service.refuse('POST', `/api/author/${id}`, { firstName: 'E' }, { code: 'CRUD_ERR_EXISTS' })
    await service.add('/api/author', { firstName: 'F' })
    expect((await service.read('/api/author')).count).toBe(5)
  })

  test('DELETE of what is needed, known, and owning', async () => {
    await service.refuse('DELETE', `/api/publisher/${publisher.id}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    await service.refuse('DELETE', `/api/author/${authors[0].id}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    expect((await service.delete(`/api/tag/${tags[0].id}`)).status).toBe(204)
    expect((await service.read(path)).bookTags).toEqual([tags[1]])
    await service.put(path, { ...book, authors: [{ id: authors[0].id }], bookTags: [], nextBookId: book.id })
    expect((await service.delete(`/api/author/${authors[1].id}`)).status).toBe(204)
    expect((await service.read(path)).chapters[0]).toMatchObject({ chiefEditorId: null, chiefEditor: null })
    expect((await service.delete(path)).status).toBe(204)
    expect((await service.delete(`/api/publisher/${publisher.id}`)).status).toBe(204)
    const rows = Object.values(await service.snapshot()).flat()
    expect(rows).toHaveLength(2)
  })
}
