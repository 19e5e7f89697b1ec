import { Type } from '@sinclair/typebox'
import { defineResources, neededBy, needs } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const name = Type.String()

const resources = defineResources({
  author: { fields: { name }, relations: { books: neededBy.many('book'), works: neededBy.many('work') } },
  book: { fields: { name }, relations: { author: needs.one('author', { foreignKey: 'author_id' }) } },
  work: { fields: { name }, relations: { authors: needs.many('author') } },
})

describeOnBoth('`neededBy` in a body', (database) => {
  const service = useApp(database, resources)

  test('is read-only: the answer says which relation sets it', async () => {
    const { id } = await service.add('/api/author', { name: 'a' })
    const record = await service.read(`/api/author/${id}?include=books,works`)
    const { errors } = await service.refuse('PUT', `/api/author/${id}`, record, { code: 'CRUD_ERR_INVALID' })
    expect(errors).toEqual([
      { pointer: '/books', message: "is read-only: 'author_id' of book sets it", keyword: 'readOnly' },
      { pointer: '/works', message: "is read-only: 'authors' of work sets it", keyword: 'readOnly' },
    ])
  })
})
