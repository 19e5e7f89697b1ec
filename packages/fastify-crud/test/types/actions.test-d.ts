import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import {
  type AnyKysely,
  type CrudOptions,
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
  invoice: {
    pay: { body: Type.Object({ paidOn: Type.String() }), asks: 'Edit', run: () => undefined },
    sum: { on: 'list', asks: 'View', answer: Type.Integer(), run: () => 1 },
  },
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

test('routes and handlers know the names of actions, and what these answer', () => {
  const app = Fastify()
  const access = { action: 'Edit', id: 'id' } as const
  void (async () => {
    await app.register(crudPlugin, {
      db,
      resources,
      actions,
      routes: { invoice: { pay: { logLevel: 'warn' }, list: { logLevel: 'warn' } } },
      handlers: {
        invoice: {
          pay: {
            access,
            async handler(_request, reply, next) {
              const invoice = await next()
              expectTypeOf(invoice).toEqualTypeOf<{ id: number; total: number } | undefined>()
              reply.header('x-total', invoice?.total)
            },
          },
          sum: {
            access: { action: 'View' },
            async handler(_request, _reply, next) {
              expectTypeOf(await next()).toEqualTypeOf<number>()
            },
          },
        },
      },
    })
    await app.register(
      crudPlugin,
      crudOptions(resources, { db, actions, routes: { invoice: { pay: { logLevel: 'warn' } } } }),
    )
    await app.register(crudPlugin, {
      db,
      resources,
      actions: { invoice: { pay: { asks: 'Edit', run: () => undefined } } },
      routes: { invoice: { pay: { logLevel: 'warn' } } },
    })
    // @ts-expect-error there is no such action
    await app.register(crudPlugin, { db, resources, actions, routes: { invoice: { pya: { logLevel: 'warn' } } } })
    // @ts-expect-error there is no such action
    await app.register(crudPlugin, { db, resources, actions, handlers: { invoice: { pya: { access, handler() {} } } } })
  })
})

test('options of any model, with actions or without, may be spread into those of one', () => {
  const app = Fastify()
  const partly: Partial<CrudOptions> = {}
  const whole = {} as CrudOptions
  const known = {} as CrudOptions<typeof resources>
  void (async () => {
    await app.register(crudPlugin, { db, ...partly, resources })
    await app.register(crudPlugin, { ...whole, resources })
    await app.register(crudPlugin, { ...known, resources, actions })
    await app.register(crudPlugin, { ...known })
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
