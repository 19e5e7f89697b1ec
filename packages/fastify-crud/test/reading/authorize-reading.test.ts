import type { AccessQuestion } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import type { AppOptions } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { expectRefused, refusalWithout } from './support/expect-refused.ts'
import { jsonFilter } from './support/spellings.ts'
import { useBooks } from './support/use-books.ts'

/** The queries that go through a relation of a book, to one or to many. */
const queriesThrough = (relation: string) => [
  `filter[${relation}.name]=red`,
  `filter[${relation}.name][null]=true`,
  jsonFilter({ or: [{ price: 1 }, { not: { [`${relation}.name`]: 'red' } }] }),
  jsonFilter({ [relation]: { some: {} } }),
  jsonFilter({ [relation]: { none: { name: 'red' } } }),
  `sort=${relation}.name`,
  `sort=-count(${relation})`,
  `fields=title,${relation}.name`,
  `fields=count(${relation})`,
  `include=${relation}`,
  `include=-${relation}`,
  `include=prequel.${relation}`,
  `filter[prequel.${relation}.name]=red`,
]

describeOnBoth('a relation to records that `authorize` does not let a request see', (database) => {
  let answer: (question: AccessQuestion) => boolean | Promise<boolean>
  const authorize: NonNullable<AppOptions['plugin']>['authorize'] = (_request, question) => answer(question)
  const books = useBooks(database, { plugin: { authorize } })
  const hide = (...hidden: string[]) => {
    answer = ({ resource }) => !hidden.includes(resource)
  }

  beforeEach(() => hide())

  test('is an unknown name in each part of a query, with the words for one that is not there', async () => {
    hide('tag', 'series')
    const unknown = queriesThrough('xqzj')
    for (const relation of ['tags', 'series']) {
      for (const [n, query] of queriesThrough(relation).entries()) {
        const refused = await books.service.get(`/api/book?${query}`)
        expectRefused(refused, relation)
        const missing = await books.service.get(`/api/book?${unknown[n]}`)
        expect(refusalWithout(refused, relation), query).toBe(refusalWithout(missing, 'xqzj'))
      }
    }
  })

  test('is known to those who may see it, whatever came before', async () => {
    for (const [isHidden, status] of [
      [true, 400],
      [false, 200],
      [true, 400],
    ] as const) {
      hide(...(isHidden ? ['tag'] : []))
      expect((await books.service.get('/api/book?filter[tags.name]=red')).status).toBe(status)
      expect((await books.service.get('/api/book?include=publisher.books,prequel.tags')).status).toBe(status)
    }
  })

  test('is so if the answer comes late', async () => {
    answer = async ({ resource }) => resource !== 'tag'
    await books.refused('filter[tags.name]=red', 'tags')
    expect(await books.titles('filter[authors.name]=Cy')).toEqual(['Gorse'])
  })

  test('is so at the end of a path, and in the middle of one', async () => {
    hide('book')
    for (const path of ['books.title', 'books.tags.name']) {
      await books.refusedAt(`/api/publisher?filter[${path}]=red`, 'books')
    }
    await books.refusedAt('/api/publisher?include=books', 'books')
    await books.refusedAt('/api/publisher?sort=count(books)', 'books')
    hide('remark')
    await books.refused('filter[chapters.remarks.text]=why', 'remarks')
    expect(await books.titles('filter[chapters.place]=3')).toEqual(['Elder'])
  })

  test('is so where something else is wrong with the query, or with the place of the name', async () => {
    hide('book')
    for (const query of [
      'sort=books.title',
      'sort=count(books.tags)',
      'sort=count(books.price)',
      'fields=books.nothing',
      'fields=count(books.title)',
      'include=books.nothing',
      'include=-books',
      'filter[books.nothing]=1',
      'filter[books.price][like]=1',
      'filter[books]=1',
      'nested[books][limit]=0',
    ]) {
      const refused = await books.service.get(`/api/publisher?${query}`)
      expectRefused(refused, 'books')
      const missing = await books.service.get(`/api/publisher?${query.replace('books', 'xqzj')}`)
      expect(refusalWithout(refused, 'books'), query).toBe(refusalWithout(missing, 'xqzj'))
    }
  })

  test('is suggested to nobody who may not see it', async () => {
    const suggestion = /did you mean 'books'/
    const words = async (query: string) => JSON.stringify((await books.service.get(`/api/publisher?${query}`)).body)
    for (const query of ['include=bookz', 'filter[bookz.title]=x', 'sort=count(bookz)', 'fields=bookz.title']) {
      hide()
      expect(await words(query)).toMatch(suggestion)
      hide('book')
      expect(await words(query)).not.toMatch(suggestion)
    }
  })

  test('leaves a foreign key, which is a field', async () => {
    hide('series')
    expect(await books.titles('filter[seriesId][null]=true')).toEqual(['Cedar', 'Fir', 'Hazel'])
    expect(await books.titles('sort=seriesId&limit=2')).toEqual(['Dogwood', 'Gorse'])
  })

  test('does not make a record partial', async () => {
    hide('tag')
    const { rows } = await books.service.read('/api/book?include=publisher.books&limit=1')
    expect(rows[0]).not.toHaveProperty('tags')
    expect(rows[0]).not.toHaveProperty('partial')
  })

  test('is refused after the request itself: 403 comes before a wrong query', async () => {
    hide('book')
    expectProblem(await books.service.get('/api/book?filter[nowhere]=1'), { code: 'CRUD_ERR_FORBIDDEN' })
  })
})
