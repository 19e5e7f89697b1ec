import { createClient } from '@fastify-crud/client'
import type { Model } from '@fastify-crud/core'
import { refineAccess, refineLive, refineProvider } from '@fastify-crud/refine'
import type { AccessControlProvider, DataBindings, DataProvider, LiveProvider } from '@refinedev/core'
import { expectTypeOf, test } from 'vitest'
import type { actions, shop } from '../../../client/test/shop.ts'

const api = createClient<typeof shop, typeof actions>({ url: '/api' })

test('it is a data provider of Refine, with all methods', async () => {
  const provider = refineProvider(api)
  const given: DataProvider = provider
  const bindings: DataBindings = { default: provider, archive: given }
  expectTypeOf(bindings).toExtend<DataBindings>()
  const { data } = await given.getOne<{ id: number; title: string }>({ resource: 'book', id: 1 })
  expectTypeOf(data.title).toEqualTypeOf<string>()
  expectTypeOf(provider.createMany).toEqualTypeOf<NonNullable<DataProvider['createMany']>>()
})

test('any client fits, also one of a model that is not known', () => {
  refineProvider(createClient<typeof shop>({ url: '/api' }))
  refineProvider(createClient<Model>({ url: '/api' }))
})

test('what it says of rights is an access control provider', () => {
  const access: AccessControlProvider = refineAccess(api)
  expectTypeOf(access.can).returns.resolves.toHaveProperty('can')
})

test('what tells of changes is a live provider', () => {
  const live: LiveProvider = refineLive(api, { onError: (error) => expectTypeOf(error).toBeUnknown() })
  expectTypeOf(live.publish).not.toBeNever()
})
