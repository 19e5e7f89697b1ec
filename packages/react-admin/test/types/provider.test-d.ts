import { createClient } from '@fastify-crud/client'
import type { Model } from '@fastify-crud/core'
import { reactAdminAccess, reactAdminLive, reactAdminProvider } from '@fastify-crud/react-admin'
import type { AuthProvider, DataProvider, RaRecord } from 'ra-core'
import { expectTypeOf, test } from 'vitest'
import type { actions, shop } from '../../../client/test/shop.ts'

const api = createClient<typeof shop, typeof actions>({ url: '/api' })

test('it is a data provider of react-admin', async () => {
  const provider = reactAdminProvider(api)
  const given: DataProvider = provider
  const { data } = await given.getOne<RaRecord & { title: string }>('book', { id: 1 })
  expectTypeOf(data.title).toEqualTypeOf<string>()
  expectTypeOf(provider.act).returns.resolves.toEqualTypeOf<{ data: unknown }>()
  // @ts-expect-error an action has a name
  provider.act('invoice', { id: 1 })
})

test('any client fits, also one of a model that is not known', () => {
  reactAdminProvider(createClient<typeof shop>({ url: '/api' }))
  reactAdminProvider(createClient<Model>({ url: '/api' }))
})

test('what it says of rights fits into an auth provider', () => {
  const canAccess: NonNullable<AuthProvider['canAccess']> = reactAdminAccess(api)
  expectTypeOf(canAccess).returns.resolves.toEqualTypeOf<boolean>()
})

test('what tells of changes may be a part of a data provider', () => {
  const provider: DataProvider = { ...reactAdminProvider(api), ...reactAdminLive(api) }
  expectTypeOf(provider).toExtend<DataProvider>()
  // @ts-expect-error a subscription has a callback
  reactAdminLive(api).subscribe('resource/book')
})
