import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  book: { fields: { title: Type.String() }, relations: { chapters: owns.many('chapter') } },
  chapter: { fields: { text: Type.String() }, relations: { book: ownedBy('book') } },
})

const policies = { book: true, chapter: { View: true, Add: true } }

describeOnBoth('what a policy forbids to do with a part of a record', (database) => {
  const service = useApp(database, resources, { plugin: { policies } })

  test('is named by its pointer', async () => {
    await service.add('/api/book', { title: 'a', chapters: [{ text: 'b' }] })
    const changed = await service.put('/api/book/1', { title: 'c', chapters: [{ id: 1, text: 'd' }] })
    expect([changed.status, changed.body.errors]).toMatchObject([
      403,
      [{ pointer: '/chapters/0', message: 'this is not allowed' }],
    ])
    const removed = await service.put('/api/book/1', { title: 'c', chapters: [] })
    expect([removed.status, removed.body.errors]).toMatchObject([
      403,
      [{ pointer: '/chapters', message: 'this is not allowed' }],
    ])
  })
})
