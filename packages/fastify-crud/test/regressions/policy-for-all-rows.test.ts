import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  folder: {
    relations: {
      parent: ownedBy('folder', { optional: true }),
      folders: owns.many('folder', { inverse: 'parent' }),
      notes: owns.many('note'),
    },
  },
  note: { fields: { text: Type.String() }, relations: { folder: ownedBy('folder') } },
})

describeOnBoth('a policy that allows everything', (database) => {
  const service = useApp(database, resources, { plugin: { policies: { folder: true } } })

  test('lets a record without a policy of its own be changed below a node of a tree', async () => {
    await service.add('/api/folder', { notes: [{ text: 'old' }] })
    expect((await service.patch('/api/folder/1', { notes: [{ id: 1, text: 'new' }] })).status).toBe(200)
    expect((await service.put('/api/folder/1', { notes: [] })).body.notes).toEqual([])
  })
})
