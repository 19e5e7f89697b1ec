import { Type } from '@sinclair/typebox'
import { defineResources, knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import { errorLog } from '../../../../../test/support/error-log.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../../test/support/problem.ts'
import { bookshop } from './bookshop.ts'

const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const
const name = Type.String({ maxLength: 100 })

describeOnBoth('links of owned records', (database) => {
  const service = useApp(database, bookshop)
  let [ann, ben]: JsonBody[] = []
  let tag: JsonBody
  let [book, other]: JsonBody[] = []

  beforeEach(async () => {
    ann = await service.add('/api/author', { name: 'Ann' })
    ben = await service.add('/api/author', { name: 'Ben' })
    tag = await service.add('/api/tag', { word: 'red' })
    const chapter = { title: 'one', notes: [{ text: 'n', readers: [{ id: ann?.id }] }] }
    book = await service.add('/api/book', { title: 'A', authors: [{ id: ann?.id }], chapters: [chapter] })
    other = await service.add('/api/book', { title: 'B', authors: [{ id: ann?.id }] })
  })

  test('have addresses below their owners, at any depth', async () => {
    const chapter = `/api/book/${book?.id}/chapter/${book?.chapters[0].id}`
    expect((await service.put(`${chapter}/marks/${tag.id}`, undefined)).status).toBe(204)
    expect(await service.read(`${chapter}/marks`)).toEqual({ rows: [tag], count: 1 })
    expect((await service.read(chapter)).marks).toEqual([{ id: tag.id, word: 'red', rank: null }])
    const note = `${chapter}/note/${book?.chapters[0].notes[0].id}`
    expect((await service.put(`${note}/readers/${ben?.id}`, undefined)).status).toBe(204)
    expect((await service.delete(`${note}/readers/${ann?.id}`)).status).toBe(204)
    expect((await service.read(`${note}/readers?sort=name`)).rows).toEqual([ben])
    await service.refuse('DELETE', `${note}/readers/${ben?.id}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    const { next } = await service.read(`${note}/readers?limit=1`)
    expect(next).toBeUndefined()
    expect((await service.delete(`${chapter}/marks/${tag.id}`)).status).toBe(204)
    expect(await service.read(`${chapter}/marks`)).toEqual({ rows: [], count: 0 })
  })

  test('are 404 below another owner', async () => {
    const [chapter] = book?.chapters ?? []
    const elsewhere = `/api/book/${other?.id}/chapter/${chapter.id}`
    for (const [path, id] of [
      [`${elsewhere}/marks`, tag.id],
      [`${elsewhere}/note/${chapter.notes[0].id}/readers`, ben?.id],
    ]) {
      expectProblem(await service.get(path), notFound)
      await service.refuse('PUT', `${path}/${id}`, undefined, notFound)
      await service.refuse('DELETE', `${path}/${id}`, undefined, notFound)
    }
  })

  test('that lead to owned records show these as they are reached without their owners', async () => {
    const [chapter] = book?.chapters ?? []
    expect((await service.put(`/api/book/${other?.id}/excerpts/${chapter.id}`, undefined)).status).toBe(204)
    expect(await service.read(`/api/book/${other?.id}/excerpts?filter[title]=one`)).toEqual({
      rows: [chapter],
      count: 1,
    })
    expect((await service.delete(`/api/book/${other?.id}/excerpts/${chapter.id}`)).status).toBe(204)
    expect(await service.read(`/api/book/${book?.id}/chapter/${chapter.id}`)).toEqual(chapter)
  })
})

/** Links where names meet: a relation called as the path of owned records, links in a tree, links to the owner's resource. */
const names = defineResources({
  person: {
    fields: { name },
    relations: { pets: owns.many('pet'), pet: knows.many('tag'), friends: knows.many('person') },
  },
  pet: { fields: { name }, relations: { person: ownedBy('person'), sitters: knows.many('person') } },
  tag: { fields: { name } },
  folder: {
    fields: { name },
    relations: {
      parent: ownedBy('folder', { optional: true }),
      folders: owns.many('folder'),
      tags: knows.many('tag'),
      seeAlso: knows.many('folder'),
    },
  },
})

describeOnBoth('the addresses of links', (database) => {
  const log = errorLog('info')
  const service = useApp(database, names, { fastify: log.fastify })

  test('are not there where what the record owns has the path; the log says so', async () => {
    const { id } = await service.add('/api/person', { name: 'Ann', pets: [{ name: 'Tom' }] })
    expect((await service.read(`/api/person/${id}/pet`)).rows).toMatchObject([{ name: 'Tom' }])
    expect(log.lines.filter((line) => /person\.pet has no address/.test(line))).toHaveLength(1)
    expect(log.lines.filter((line) => /has no address/.test(line))).toHaveLength(1)
  })

  test('call the id at the other end otherwise where an owner in the path has the name', async () => {
    const ben = await service.add('/api/person', { name: 'Ben' })
    const ann = await service.add('/api/person', { name: 'Ann', pets: [{ name: 'Tom' }] })
    const path = `/api/person/${ann.id}/pet/${ann.pets[0].id}/sitters`
    expect((await service.put(`${path}/${ben.id}`, undefined)).status).toBe(204)
    expect((await service.read(path)).rows).toMatchObject([{ name: 'Ben' }])
    const parameters = ['linked_person_id']
    await service.refuse('DELETE', `${path}/%00`, undefined, { code: 'CRUD_ERR_INVALID', parameters })
    expect((await service.delete(`${path}/${ben.id}`)).status).toBe(204)
    expect((await service.read(path)).rows).toEqual([])
  })

  test('are there in trees, at any node, and lead to any node', async () => {
    const tag = await service.add('/api/tag', { name: 't' })
    const root = await service.add('/api/folder', { name: 'a', folders: [{ name: 'b', folders: [{ name: 'c' }] }] })
    const [b] = root.folders
    const [c] = b.folders
    for (const path of [`/api/folder/${c.id}`, `/api/folder/${b.id}/folder/${c.id}`]) {
      expect((await service.put(`${path}/tags/${tag.id}`, undefined)).status).toBe(204)
      expect(await service.read(`${path}/tags`)).toEqual({ rows: [tag], count: 1 })
      expect((await service.put(`${path}/seeAlso/${b.id}`, undefined)).status).toBe(204)
      const { rows } = await service.read(`${path}/seeAlso`)
      expect(rows).toEqual([await service.read(`/api/folder/${b.id}`)])
      for (const link of [`tags/${tag.id}`, `seeAlso/${b.id}`]) {
        expect((await service.delete(`${path}/${link}`)).status).toBe(204)
      }
      expect(await service.read(`${path}/seeAlso`)).toEqual({ rows: [], count: 0 })
    }
    expectProblem(await service.get(`/api/folder/${root.id}/folder/${c.id}/tags`), notFound)
  })
})

/** Links that both ends show, and one whose targets serve one record only. */
const ends = defineResources({
  article: {
    fields: { name },
    relations: {
      tags: knows.many('tag', { through: 'article_tag', from: 'articleId', to: 'tagId' }),
      seats: needs.many('seat'),
    },
  },
  tag: {
    fields: { name },
    relations: { articles: knows.many('article', { through: 'article_tag', from: 'tagId', to: 'articleId' }) },
  },
  seat: { fields: { name }, relations: { article: neededBy.one('article') } },
})

describeOnBoth('one link', (database) => {
  const service = useApp(database, ends)
  let [first, second]: JsonBody[] = []
  let [a, b]: JsonBody[] = []
  let tag: JsonBody

  beforeEach(async () => {
    first = await service.add('/api/seat', { name: '1' })
    second = await service.add('/api/seat', { name: '2' })
    tag = await service.add('/api/tag', { name: 't' })
    a = await service.add('/api/article', { name: 'a', seats: [{ id: first?.id }] })
    b = await service.add('/api/article', { name: 'b', seats: [{ id: second?.id }] })
  })

  test('has an address at each end that shows it', async () => {
    expect((await service.put(`/api/tag/${tag.id}/articles/${a?.id}`, undefined)).status).toBe(204)
    expect((await service.read(`/api/article/${a?.id}/tags`)).rows).toMatchObject([{ id: tag.id }])
    expect((await service.put(`/api/article/${a?.id}/tags/${tag.id}`, undefined)).status).toBe(204)
    expect((await service.read(`/api/tag/${tag.id}/articles`)).rows).toMatchObject([{ id: a?.id }])
    expect((await service.delete(`/api/article/${a?.id}/tags/${tag.id}`)).status).toBe(204)
    expect(await service.read(`/api/tag/${tag.id}/articles`)).toEqual({ rows: [], count: 0 })
  })

  test('to a record that serves another one is 409', async () => {
    const path = `/api/article/${a?.id}/seats/${second?.id}`
    const refused = { code: 'CRUD_ERR_NOT_UNIQUE', parameters: ['seat_id'], detail: /seats/ } as const
    const { errors } = await service.refuse('PUT', path, undefined, refused)
    expect(errors).toEqual([
      {
        parameter: 'seat_id',
        message: expect.stringContaining('linked to another article'),
        keyword: 'unique',
        params: { members: ['seats'] },
      },
    ])
    const third = await service.add('/api/seat', { name: '3' })
    await service.put(`/api/article/${b?.id}/seats/${third.id}`, undefined)
    expect((await service.delete(`/api/article/${b?.id}/seats/${second?.id}`)).status).toBe(204)
    expect((await service.put(path, undefined)).status).toBe(204)
    expect((await service.read(`/api/article/${a?.id}/seats`)).rows).toEqual([first, second])
  })
})
