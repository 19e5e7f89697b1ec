import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import { product } from './models/product.ts'

describeOnDrivers('DELETE /api/r/:id', (database) => {
  const service = useApp(database, product)

  test('answers 204', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    const answer = await service.delete(`/api/product/${id}`)
    expect(answer.status).toBe(204)
    expect(answer.body).toBeUndefined()
    await service.refuse('GET', `/api/product/${id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('deletes no other record', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    const other = await service.add('/api/product', { name: 'b' })
    await service.delete(`/api/product/${id}`)
    expect(await service.read('/api/product')).toEqual({ rows: [other], count: 1 })
  })

  test('twice: 204, then 404', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    expect((await service.delete(`/api/product/${id}`)).status).toBe(204)
    await service.refuse('DELETE', `/api/product/${id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('after deleting the newest record, a new one does not get its id', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    await service.delete(`/api/product/${id}`)
    expect((await service.add('/api/product', { name: 'b' })).id).not.toBe(id)
  })
})

const texts = defineResources({
  book: { fields: { title: Type.String() }, relations: { chapters: owns.many('chapter') } },
  chapter: {
    fields: { text: Type.String() },
    relations: { book: ownedBy('book'), parent: ownedBy('chapter'), sections: owns.many('chapter') },
  },
})

describeOnDrivers('DELETE of a record that owns others', (database) => {
  const service = useApp(database, texts)

  test('reads no more of them than their ids', async () => {
    const sections = [{ text: 'c', sections: [{ text: 'd' }] }]
    const { id } = await service.add('/api/book', { title: 'a', chapters: [{ text: 'b', sections }] })
    const statements = await service.statements(() => service.delete(`/api/book/${id}`))
    expect(statements.join('\n')).toContain('"chapter"')
    expect(statements.join('\n')).not.toMatch(/"title"|"text"/)
    expect(await service.snapshot()).toEqual({ book: [], chapter: [] })
  })
})
