import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import {
  type AnyKysely,
  crudOptions,
  crudPlugin,
  defineActions,
  defineResources,
  openApiOf,
  type Store,
  type WithActions,
} from 'fastify-crud'
import { expectTypeOf, test } from 'vitest'

declare const db: AnyKysely
const resources = defineResources({ invoice: { fields: { total: Type.Integer() } } })
const actions = defineActions(resources, {
  invoice: { pay: { body: Type.Object({ paidOn: Type.String() }), asks: 'Edit', run: () => undefined } },
})

test('the plugin takes actions, of a module of their own or in place', () => {
  const app = Fastify()
  void (async () => {
    await app.register(crudPlugin, { db, resources, actions })
    await app.register(crudPlugin, crudOptions(resources, { db, actions, limits: { action: 1_000 } }))
    await app.register(crudPlugin, {
      db,
      resources,
      caller: () => ({ id: 7 }),
      actions: {
        invoice: {
          pay: {
            asks: 'Edit',
            async run({ id, store, caller }) {
              expectTypeOf(caller.id).toEqualTypeOf<number>()
              await store.invoice.patch(id, { total: 1 })
            },
          },
        },
      },
    })
    openApiOf(resources, { actions })
  })
})

test('the store of the instance has them by its type', () => {
  type Crud = Store<WithActions<typeof resources, typeof actions>>
  expectTypeOf<Parameters<Crud['invoice']['act']>>().not.toBeNever()
})

test('an action asks for what callers may do', () => {
  defineActions(resources, {
    // @ts-expect-error there is no such action of policies
    invoice: { pay: { asks: 'Pay', run: () => undefined } },
  })
})
