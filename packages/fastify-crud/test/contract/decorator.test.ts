import Fastify, { type FastifyInstance } from 'fastify'
import { createTables, crudPlugin, type Store } from 'fastify-crud'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { product } from './models/product.ts'

type Products = Store<typeof product>

describeOnBoth('the store on the instance', (database) => {
  let open: OpenDatabase
  let app: FastifyInstance

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, product)
  })
  beforeEach(() => {
    app = Fastify()
  })
  afterEach(() => app.close())
  afterAll(() => open.close())

  const options = () => ({ db: open.db, resources: product })

  test("serves the application's own routes, as app.crud", async () => {
    await app.register(crudPlugin, options())
    app.post('/ink', async () => {
      const { product: products } = app.getDecorator<Products>('crud')
      return products.create({ name: 'ink', stock: 1 })
    })
    const ink = (await app.inject({ method: 'POST', url: '/ink' })).json()
    expect((await app.inject(`/api/product/${ink.id}`)).json()).toEqual(ink)
  })

  test('does what it is asked for, and asks nobody: `authorize` belongs to the routes', async () => {
    const authorize = vi.fn(() => false)
    await app.register(crudPlugin, { ...options(), authorize })
    const { product: products } = app.getDecorator<Products>('crud')
    const { id } = await products.create({ name: 'ink', stock: 1 })
    await products.delete(id)
    expect(authorize).not.toHaveBeenCalled()
    expect((await app.inject(`/api/product/${id}`)).statusCode).toBe(403)
  })

  test('has the name that the option `decorator` gives it', async () => {
    await app.register(crudPlugin, { ...options(), decorator: 'shop' })
    expect(app.hasDecorator('crud')).toBe(false)
    expect(await app.getDecorator<Products>('shop').product.list()).toHaveProperty('count')
  })

  test('is not there with `decorator: false`', async () => {
    await app.register(crudPlugin, { ...options(), decorator: false })
    expect(app.hasDecorator('crud')).toBe(false)
    expect((await app.inject('/api/product')).statusCode).toBe(200)
  })

  test('fails the start where its name is taken', async () => {
    const taken = "decorator: the Fastify instance has 'crud' already; give this store another name"
    await app.register(crudPlugin, options())
    await expect(app.register(crudPlugin, { ...options(), prefix: '/again' })).rejects.toThrow(taken)
  })

  test('fails the start where an outer instance has its name, or Fastify itself', async () => {
    const refusedIn = async (decorator: string) => {
      const outer = Fastify()
      outer.decorate('shop', null)
      outer.register(async (scope) => scope.register(crudPlugin, { ...options(), decorator }))
      await expect(outer.ready()).rejects.toThrow(`the Fastify instance has '${decorator}' already`)
    }
    await refusedIn('shop')
    await refusedIn('log')
  })

  test('fails the start where its name is none', async () => {
    const start = async (decorator: unknown) => Fastify().register(crudPlugin, { ...options(), decorator } as never)
    for (const none of ['', true, 1, null]) {
      await expect(start(none)).rejects.toThrow('decorator: must be a name, or false for none')
    }
  })

  test('is seen in the scope that the plugin is registered in, and in no other', async () => {
    const scopes: FastifyInstance[] = []
    for (const prefix of ['/public', '/staff']) {
      await app.register(async (scope) => {
        scopes.push(scope)
        await scope.register(crudPlugin, { ...options(), prefix })
      })
    }
    expect(scopes.map((scope) => scope.hasDecorator('crud'))).toEqual([true, true])
    expect(app.hasDecorator('crud')).toBe(false)
    for (const prefix of ['/public', '/staff']) expect((await app.inject(`${prefix}/product`)).statusCode).toBe(200)
  })
})
