import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  type CrudOptions,
  createTables,
  crudPlugin,
  defineResources,
  type GuardedStore,
  type HandledRequest,
  type Model,
} from 'fastify-crud'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const notes = defineResources({ note: { id: 'uuid', fields: { text: Type.String() } } })
const ofShops = defineResources(
  {
    shop: { id: 'uuid', fields: { name: Type.String() } },
    note: { id: 'uuid', fields: { text: Type.String() } },
  },
  { tenant: { resource: 'shop' } },
)

describeOnBoth('The handler of a replaced endpoint', (database) => {
  let open: OpenDatabase
  let app: FastifyInstance
  let handled: HandledRequest | undefined
  let asked = 0

  beforeEach(async () => {
    open = await database.open()
    handled = undefined
    asked = 0
  })
  afterEach(async () => {
    await app.close()
    await open.close()
  })

  const noting = (action: 'View' | 'Add') => ({
    access: { action },
    async handler(_request: unknown, _reply: unknown, next: () => Promise<unknown>, given: HandledRequest) {
      handled = given
      await next()
    },
  })

  async function start(resources: Model, options: Partial<CrudOptions>): Promise<void> {
    await createTables(open.db, resources)
    app = Fastify()
    await app.register(crudPlugin, { db: open.db, resources, authorize: () => true, ...options })
  }

  const get = (path: string, shop?: string) =>
    app.inject({ url: path, headers: shop === undefined ? {} : { 'x-shop': shop } })

  test('is told the caller that the service has asked for, once', async () => {
    const caller = { id: 7, roles: ['editor'] }
    await start(notes, {
      caller: () => {
        asked += 1
        return caller
      },
      handlers: { note: { list: noting('View') } },
    })
    expect((await get('/api/note')).statusCode).toBe(200)
    expect(handled).toEqual({ caller, tenant: undefined, db: open.db })
    expect(handled?.caller).toBe(caller)
    expect(asked).toBe(1)
  })

  test('is given an empty object where there is no caller', async () => {
    await start(notes, { handlers: { note: { list: noting('View') } } })
    expect((await get('/api/note')).statusCode).toBe(200)
    expect(handled?.caller).toEqual({})
    expect(handled?.db).toBe(open.db)
  })

  test('is told the tenant, as the id is compared', async () => {
    await start(ofShops, {
      caller: ({ headers }) => ({ shop: headers['x-shop'] }),
      tenant: (caller) => {
        asked += 1
        return (caller as { shop?: string }).shop
      },
      handlers: { note: { list: noting('View') }, shop: { create: noting('Add') } },
    })
    const store = app.crud as unknown as GuardedStore<typeof ofShops>
    const { id } = await store.asSystem().shop.create({ name: 'Four' })
    expect((await get('/api/note', String(id).toUpperCase())).statusCode).toBe(200)
    expect(handled).toMatchObject({ tenant: id, caller: { shop: String(id).toUpperCase() } })
    expect(asked).toBe(1)
  })

  test('that makes a tenant is told that there is none yet', async () => {
    await start(ofShops, {
      caller: () => ({ email: 'ada@four.example' }),
      tenant: () => undefined,
      handlers: {
        shop: {
          create: {
            access: { action: 'Add' },
            async handler({ body }, reply, _next, { caller, tenant, db }) {
              const made = await db.transaction().execute(async (trx) => {
                const store = (app.crud as unknown as GuardedStore<typeof ofShops>).in(trx)
                const shop = await store.asSystem().shop.create(body as never)
                await store.asSystem({ tenant: shop.id }).note.create({ text: (caller as { email: string }).email })
                return { ...shop, tenant: tenant ?? 'none' }
              })
              reply.code(201).send(made)
            },
          },
        },
      },
    })
    const { statusCode, body } = await app.inject({ method: 'POST', url: '/api/shop', payload: { name: 'Four' } })
    expect(statusCode).toBe(201)
    expect(JSON.parse(body)).toMatchObject({ name: 'Four', tenant: 'none' })
  })
})
