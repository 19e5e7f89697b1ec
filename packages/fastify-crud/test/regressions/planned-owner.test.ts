import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  folder: {
    fields: { name: Type.String() },
    relations: {
      parent: ownedBy('folder', { optional: true }),
      folders: owns.many('folder', { inverse: 'parent' }),
    },
    unique: [['name']],
  },
})

describeOnBoth('a policy that asks for the owner of a changed record', (database) => {
  const service = useApp(database, resources, {
    plugin: { policies: { folder: { View: true, Add: true, Edit: ({ eb }) => eb('parentId', '=', 1) } } },
  })

  test('is asked about the owner that is stored, before a conflict', async () => {
    await service.add('/api/folder', { name: 'a', folders: [{ name: 'b' }] })
    await service.refuse('PATCH', '/api/folder/2', { name: 'a' }, { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/name'] })
  })
})
