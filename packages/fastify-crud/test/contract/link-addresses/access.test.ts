import { Type } from '@sinclair/typebox'
import { type AccessQuestion, defineResources, knows, needs } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../../test/support/problem.ts'
import { missingId } from '../../../../../test/support/test-ids.ts'

const name = Type.String()
const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const
const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const

const library = defineResources({
  tag: {
    fields: { name },
    relations: { books: knows.many('book', { through: 'book_tag', from: 'tagId', to: 'bookId' }) },
  },
  author: { fields: { name } },
  book: {
    fields: { name },
    relations: {
      tags: knows.many('tag', { through: 'book_tag', from: 'bookId', to: 'tagId' }),
      authors: needs.many('author'),
    },
  },
})

describeOnBoth('`authorize`, about one link,', (database) => {
  let asked: AccessQuestion[] = []
  const refused = new Set<string>()
  let isLate = false
  const service = useApp(database, library, {
    plugin: {
      authorize(_, question) {
        asked.push(question)
        const answer = !refused.has(`${question.action} ${question.resource}`)
        return isLate ? Promise.resolve(answer) : answer
      },
    },
  })
  let [ann, ben]: JsonBody[] = []
  let tag: JsonBody
  let path: string

  beforeEach(async () => {
    refused.clear()
    isLate = false
    ann = await service.add('/api/author', { name: 'Ann' })
    ben = await service.add('/api/author', { name: 'Ben' })
    tag = await service.add('/api/tag', { name: 't' })
    path = `/api/book/${(await service.add('/api/book', { name: 'b', authors: [{ id: ann?.id }] })).id}`
    asked = []
  })

  const pairs = () => asked.map(({ action, resource, operation }) => `${action} ${resource} ${operation}`)

  test('is asked about `Edit` of the record, as for a PATCH of it, and of the other end where that shows the link', async () => {
    for (const [method, of] of [
      ['PUT', `tags/${tag.id}`],
      ['DELETE', `tags/${tag.id}`],
    ] as const) {
      asked = []
      expect((await service.request(method, `${path}/${of}`)).status).toBe(204)
      const { id, origin } = asked[0] as AccessQuestion
      expect(pairs()[0]).toBe('Edit book patch')
      expect(path.endsWith(`/${id}`)).toBe(true)
      expect(origin).toEqual({ resource: 'book', id })
      expect(pairs().filter((pair) => !pair.startsWith('View'))).toEqual(['Edit book patch', 'Edit tag patch'])
    }
  })

  test('refuses with 403, whether it answers at once or later', async () => {
    for (const late of [false, true]) {
      for (const no of ['Edit book', 'Edit tag']) {
        refused.clear()
        refused.add(no)
        isLate = late
        await service.refuse('PUT', `${path}/tags/${tag.id}`, undefined, forbidden)
      }
    }
    refused.delete('Edit tag')
    expect((await service.put(`${path}/tags/${tag.id}`, undefined)).status).toBe(204)
    refused.add('Edit tag')
    await service.refuse('DELETE', `${path}/tags/${tag.id}`, undefined, forbidden)
    refused.add('Edit book')
    const unknown = `/api/book/${missingId('book')}/tags/${missingId('tag')}`
    await service.refuse('PUT', unknown, undefined, forbidden)
  })

  test('is asked about `View` of the other end: after a no, its records are not there', async () => {
    await service.put(`${path}/authors/${ben?.id}`, undefined)
    refused.add('View author')
    await service.refuse('PUT', `${path}/authors/${ben?.id}`, undefined, notFound)
    const before = await service.snapshot()
    expect((await service.delete(`${path}/authors/${ben?.id}`)).status).toBe(204)
    expect(await service.snapshot()).toEqual(before)
    expectProblem(await service.get(`${path}/authors`), forbidden)
  })

  test('is asked about `View` of the record and of those on the page', async () => {
    await service.put(`${path}/tags/${tag.id}`, undefined)
    asked = []
    const { rows } = await service.read(`${path}/tags`)
    expect(rows).toMatchObject([{ name: 't', books: [{ name: 'b' }] }])
    expect(pairs()).toEqual(['View book findOne', 'View tag findOne'])
    expect(path.endsWith(`/${asked[0]?.id}`)).toBe(true)
    refused.add('View book')
    expectProblem(await service.get(`${path}/tags`), forbidden)
    expectProblem(await service.get(`/api/tag/${tag.id}/books`), forbidden)
  })

  test('is asked about what a query names and a page shows', async () => {
    refused.add('View tag')
    const answer = await service.get(`${path}/authors?filter[tags.name]=x`)
    expectProblem(answer, { code: 'CRUD_ERR_INVALID' })
    expect((await service.read(`${path}/authors`)).rows).toEqual([ann])
  })
})
