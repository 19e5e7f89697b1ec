import { Type } from '@sinclair/typebox'
import { defineResources, knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { anyId } from '../../../../test/support/test-ids.ts'

const library = defineResources({
  city: { fields: { name: Type.String() }, relations: { publishers: neededBy.many('publisher') } },
  publisher: {
    fields: { name: Type.String(), founded: Type.Optional(Type.Integer()) },
    relations: { city: needs.one('city'), books: neededBy.many('book'), medals: owns.many('medal') },
  },
  medal: { fields: { name: Type.String() }, relations: { publisher: ownedBy('publisher') } },
  author: { fields: { name: Type.String() }, relations: { books: neededBy.many('book'), home: knows.one('city') } },
  series: { fields: { name: Type.String() } },
  tag: { fields: { name: Type.String(), color: Type.Optional(Type.String()) }, relations: { near: knows.many('tag') } },
  book: {
    fields: { title: Type.String(), price: Type.Optional(Type.Number()) },
    relations: {
      publisher: needs.one('publisher'),
      authors: needs.many('author'),
      cover: owns.one('cover'),
      chapters: owns.many('chapter'),
      series: knows.one('series'),
      tags: knows.many('tag'),
    },
  },
  cover: {
    fields: { url: Type.String() },
    relations: { book: ownedBy('book'), painter: knows.one('author') },
  },
  chapter: {
    fields: { title: Type.String() },
    relations: { book: ownedBy('book'), notes: owns.many('note'), tags: knows.many('tag') },
  },
  note: { fields: { text: Type.String() }, relations: { chapter: ownedBy('chapter') } },
})

describeOnBoth('a record', (database) => {
  const service = useApp(database, library)
  let city: JsonBody
  let publisher: JsonBody
  let authors: JsonBody[]
  let series: JsonBody
  let tags: JsonBody[]

  beforeEach(async () => {
    city = await service.add('/api/city', { name: 'Rome' })
    publisher = await service.add('/api/publisher', { name: 'P', cityId: city.id, medals: [{ name: 'm' }] })
    authors = []
    for (const name of ['A', 'B', 'C']) authors.push(await service.add('/api/author', { name, homeId: city.id }))
    series = await service.add('/api/series', { name: 'S' })
    const near = await service.add('/api/tag', { name: 'near' })
    tags = []
    for (const name of ['t', 'u'])
      tags.push(await service.add('/api/tag', { name, color: 'red', near: [{ id: near.id }] }))
  })

  const full = () => ({
    title: 'T',
    price: 1.5,
    publisherId: publisher.id,
    authors: [{ id: authors[2].id }, { id: authors[0].id }, { id: authors[1].id }],
    cover: { url: 'u', painterId: authors[0].id },
    chapters: [
      { title: 'c1', notes: [{ text: 'n1' }, { text: 'n2' }], tags: [{ id: tags[1].id }, { id: tags[0].id }] },
      { title: 'c2' },
    ],
    seriesId: series.id,
    tags: [{ id: tags[1].id }, { id: tags[0].id }],
  })
  const plainTags = () => tags.map(({ id, name }) => ({ id, name, color: 'red' }))
  const plainAuthors = () => authors.map(({ id, name }) => ({ id, name }))

  test('is `id`, its fields, and its relations', async () => {
    const book = await service.add('/api/book', full())
    expect(book).toEqual({
      id: anyId,
      title: 'T',
      price: 1.5,
      publisherId: publisher.id,
      publisher: { id: publisher.id, name: 'P', founded: null },
      authors: plainAuthors(),
      cover: {
        id: anyId,
        url: 'u',
        painterId: authors[0].id,
        painter: { id: authors[0].id, name: 'A' },
      },
      chapters: [
        {
          id: anyId,
          title: 'c1',
          notes: [
            { id: anyId, text: 'n1' },
            { id: anyId, text: 'n2' },
          ],
          tags: plainTags(),
        },
        { id: anyId, title: 'c2', notes: [], tags: [] },
      ],
      seriesId: series.id,
      series: { id: series.id, name: 'S' },
      tags: plainTags(),
    })
  })

  test('the answers of POST, GET, PUT, PATCH and the row of a list are the same', async () => {
    const book = await service.add('/api/book', full())
    expect(await service.read(`/api/book/${book.id}`)).toEqual(book)
    expect((await service.patch(`/api/book/${book.id}`, {})).body).toEqual(book)
    expect((await service.put(`/api/book/${book.id}`, book)).body).toEqual(book)
    expect((await service.read('/api/book')).rows).toEqual([book])
  })

  test('has null where there is no value, and [] where there is no record', async () => {
    const book = await service.add('/api/book', {
      title: 'T',
      publisherId: publisher.id,
      authors: [{ id: authors[0].id }],
    })
    expect(book).toEqual({
      id: book.id,
      title: 'T',
      price: null,
      publisherId: publisher.id,
      publisher: { id: publisher.id, name: 'P', founded: null },
      authors: [{ id: authors[0].id, name: 'A' }],
      cover: null,
      chapters: [],
      seriesId: null,
      series: null,
      tags: [],
    })
    expect(await service.read(`/api/book/${book.id}`)).toEqual(book)
  })

  test('`neededBy` and `ownedBy` add nothing', async () => {
    const book = await service.add('/api/book', full())
    expect(await service.read(`/api/city/${city.id}`)).toEqual({ id: city.id, name: 'Rome' })
    expect(await service.read(`/api/publisher/${publisher.id}`)).toEqual({
      id: publisher.id,
      name: 'P',
      founded: null,
      cityId: city.id,
      city: { id: city.id, name: 'Rome' },
      medals: publisher.medals,
    })
    const { id, notes } = book.chapters[0]
    expect(await service.read(`/api/book/${book.id}/chapter/${id}`)).toEqual(book.chapters[0])
    expect(await service.read(`/api/book/${book.id}/chapter/${id}/note`)).toEqual({ rows: notes, count: 2 })
    expect(await service.read(`/api/book/${book.id}/cover/${book.cover.id}`)).toEqual(book.cover)
  })

  test('arrays are ordered by id', async () => {
    const book = await service.add('/api/book', { ...full(), tags: [{ id: tags[0].id }] })
    await service.patch(`/api/book/${book.id}`, { tags: [{ id: tags[1].id }] })
    const { body } = await service.put(`/api/book/${book.id}`, {
      ...book,
      chapters: [{ title: 'new' }, book.chapters[1], book.chapters[0]],
      tags: [{ id: tags[1].id }, { id: tags[0].id }],
    })
    expect(body.tags).toEqual(plainTags())
    expect(body.chapters.map(({ title }: JsonBody) => title)).toEqual(['c1', 'c2', 'new'])
    expect(await service.read(`/api/book/${book.id}`)).toEqual(body)
  })
})
