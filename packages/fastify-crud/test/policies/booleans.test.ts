import { Type } from '@sinclair/typebox'
import { createStore, defineResources } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { caller, headersOf } from './support/as-caller.ts'

const pages = defineResources({ page: { fields: { title: Type.String(), isPublic: Type.Boolean() } } })

describeOnBoth('a policy that compares a boolean field', (database) => {
  const service = useApp(database, pages, {
    plugin: {
      caller,
      policies: { page: { View: ({ eb }) => eb('isPublic', '=', true), Add: true, Edit: true, Delete: true } },
    },
  })

  test('is the same on both databases', async () => {
    const all = createStore({ db: service.db, resources: pages })
    const page = await all.page.create({ title: 'a', isPublic: true })
    await all.page.create({ title: 'b', isPublic: false })
    const list = await service.request('GET', '/api/page', undefined, headersOf({}))
    expect(list).toMatchObject({ status: 200, body: { rows: [page], count: 1 } })
  })
})
