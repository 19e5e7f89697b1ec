import { Type } from '@sinclair/typebox'
import { defineResources, type Model, ownedBy, owns } from 'fastify-crud'
import { test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  user: { relations: { profile: owns.one('profile') } },
  profile: { id: ['user'], fields: { name: Type.String() }, relations: { user: ownedBy('user') } },
}) as Model

const caller = ({ headers }: { readonly headers: object }) => ({ level: 'x-admin' in headers ? 1 : 0 })
const all = { View: true, Add: true, Edit: true, Delete: true }
const isAdmin = ({ eb, my }: { eb: (...args: unknown[]) => unknown; my: (...args: unknown[]) => unknown }) =>
  eb(my('level', 'integer'), '=', 1)
const policies = { user: all, profile: { ...all, View: isAdmin } }

describeOnBoth('a record with the id of its owner that the caller may not see', (database) => {
  const service = useApp(database, resources, { plugin: { caller, policies } as never })

  test('has its place, but an id that is not the owner’s is wrong whoever sees it', async () => {
    const created = await service.request('POST', '/api/user', { profile: { name: 'a' } }, { 'x-admin': '1' })
    const path = `/api/user/${created.body.id}`
    await service.refuse('PUT', path, { profile: { name: 'b' } }, { code: 'CRUD_ERR_EXISTS' })
    await service.refuse('PUT', path, { profile: { name: 'b', id: created.body.id } }, { code: 'CRUD_ERR_EXISTS' })
    const wrong = { profile: { name: 'b', id: 999_999 } }
    await service.refuse('PUT', path, wrong, { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/profile/id'] })
  })
})
