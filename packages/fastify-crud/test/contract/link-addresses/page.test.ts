import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../../test/support/problem.ts'
import { largeIds, missingId } from '../../../../../test/support/test-ids.ts'
import { bookshop } from './bookshop.ts'

const WORDS = ['d', 'b', 'a', 'c']

describeOnBoth('GET of the records that one is linked to', (database) => {
  const service = useApp(database, bookshop, { plugin: { limits: { defaultPage: 3, maxPage: 10 } } })
  let tags: JsonBody[]
  let book: JsonBody
  let other: JsonBody
  let path: string

  beforeEach(async () => {
    const author = await service.add('/api/author', { name: 'Ann' })
    const group = await service.add('/api/group', { name: 'g' })
    tags = []
    for (const [index, word] of WORDS.entries()) {
      tags.push(await service.add('/api/tag', { word, rank: index, groupId: index < 2 ? group.id : null }))
    }
    await service.add('/api/tag', { word: 'unused' })
    const linked = { authors: [{ id: author.id }], tags: tags.map(({ id }) => ({ id })) }
    book = await service.add('/api/book', { title: 'A', ...linked })
    other = await service.add('/api/book', { title: 'B', ...linked, tags: [{ id: tags[1].id }] })
    path = `/api/book/${book.id}/tags`
  })

  const wordsAt = async (query: string) =>
    (await service.read(`${path}?${query}`)).rows.map(({ word }: JsonBody) => word)

  test('is a page of them as their own list shows them, and their count', async () => {
    expect(await service.read(path)).toEqual({ rows: tags.slice(0, 3), count: 4, next: expect.any(String) })
    expect(await service.read(`/api/book/${other.id}/tags`)).toEqual({ rows: [tags[1]], count: 1 })
    expect(await service.read(`/api/book/${book.id}/sequels`)).toEqual({ rows: [], count: 0 })
    expect((await service.read(`/api/book/${book.id}/authors`)).rows).toEqual(book.authors)
  })

  test('takes all parameters of a list', async () => {
    expect(await wordsAt('sort=word&limit=2&offset=1')).toEqual(['b', 'c'])
    expect(await wordsAt('filter[word][gte]=b&sort=-word')).toEqual(['d', 'c', 'b'])
    expect(await wordsAt('filter[group.name]=g&sort=word')).toEqual(['b', 'd'])
    expect(await wordsAt(`filter=${encodeURIComponent('{"or":[{"rank":0},{"word":"c"}]}')}&sort=-rank`)).toEqual([
      'c',
      'd',
    ])
    const cut = await service.read(`${path}?fields=word&limit=1&count=none`)
    expect(cut).toEqual({ rows: [{ id: tags[0].id, word: 'd', partial: true }], next: expect.any(String) })
    const { rows } = await service.read(`${path}?include=-group&limit=1`)
    expect(rows[0]).toEqual({ id: tags[0].id, word: 'd', rank: 0, groupId: tags[0].groupId, partial: true })
    expect(await service.read(`${path}?count=2&limit=1`)).toMatchObject({ count: 2, countIs: 'atLeast' })
    const all = `include=sequels&nested[sequels][limit]=2&fields=title`
    expect((await service.read(`/api/book/${book.id}/sequels?${all}`)).rows).toEqual([])
  })

  test('refuses what a list refuses, by its name', async () => {
    for (const [query, parameter] of [
      ['limit=11', 'limit'],
      ['sort=title', 'sort'],
      ['filter[title]=x', 'filter[title]'],
      ['fields=title', 'fields'],
      ['by=word', 'by'],
    ] as const) {
      expectProblem(await service.get(`${path}?${query}`), { code: 'CRUD_ERR_INVALID', parameters: [parameter] })
    }
  })

  test('goes on behind a cursor; the Link header keeps the path and the query', async () => {
    const words: string[] = []
    let next: string | undefined = `${path}?sort=word&limit=3`
    while (next !== undefined) {
      const { status, body, headers } = await service.get(next)
      expect(status).toBe(200)
      words.push(...body.rows.map(({ word }: JsonBody) => word))
      const link = /^<(.*)>; rel="next"$/.exec(String(headers.link))?.[1]
      if (link !== undefined) expect(link).toBe(`${path}?sort=word&limit=3&after=${body.next}`)
      next = link
    }
    expect(words).toEqual(['a', 'b', 'c', 'd'])
  })

  test('takes no cursor of another list', async () => {
    const { next } = await service.read(`${path}?limit=1`)
    expect((await service.read(`${path}?limit=1&after=${next}`)).rows).toEqual([tags[1]])
    for (const elsewhere of [`/api/book/${other.id}/tags`, '/api/tag', `/api/book/${book.id}/authors`]) {
      const answer = await service.get(`${elsewhere}?limit=1&after=${next}`)
      expectProblem(answer, { code: 'CRUD_ERR_INVALID', parameters: ['after'] })
    }
  })

  test('of a record that is not there is 404', async () => {
    for (const id of [missingId('book'), ...largeIds('book')]) {
      const answer = await service.get(`/api/book/${id}/tags`)
      expectProblem(answer, { code: 'CRUD_ERR_NOT_FOUND', detail: /no book/ })
    }
  })

  test('has no ETag, and HEAD', async () => {
    const { headers, status } = await service.request('HEAD', path)
    expect([status, headers.etag]).toEqual([200, undefined])
    expect((await service.request('GET', path, undefined, { 'if-none-match': '"x"' })).status).toBe(200)
  })

  test('is one statement', async () => {
    await service.read(path)
    expect(await service.statements(() => service.read(path))).toHaveLength(1)
    const filtered = `${path}?filter[word][gte]=b&sort=-word&fields=word`
    await service.read(filtered)
    expect(await service.statements(() => service.read(filtered))).toHaveLength(1)
  })
})
