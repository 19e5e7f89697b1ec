import { Type } from '@sinclair/typebox'
import Fastify, { type RouteOptions } from 'fastify'
import {
  type AccessQuestion,
  crudPlugin,
  defineActions,
  defineResources,
  type Handlers,
  ownedBy,
  owns,
  type Routes,
} from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'

const resources = defineResources({
  invoice: {
    fields: { total: Type.Integer(), status: Type.String({ default: 'draft' }) },
    relations: { lines: owns.many('line') },
  },
  line: { topLevel: true, fields: { amount: Type.Integer() }, relations: { invoice: ownedBy('invoice') } },
})

const actions = defineActions(resources, {
  invoice: {
    pay: { asks: 'Edit', run: async ({ id, store }) => void (await store.invoice.patch(id, { status: 'paid' })) },
    tally: {
      asks: 'View',
      method: 'GET',
      answer: Type.Integer(),
      run: async ({ id, store }) => (await store.invoice.owned(id, 'lines').list()).count,
    },
    look: { asks: 'View', method: 'GET', run: () => undefined },
    sum: {
      on: 'list',
      asks: 'View',
      answer: Type.Integer(),
      run: async ({ store }) => (await store.invoice.list()).count,
    },
    clear: { on: 'list', asks: 'Delete', run: () => undefined },
  },
  line: {
    double: {
      asks: 'Edit',
      async run({ id, store }) {
        const { amount } = await store.line.find(id)
        await store.line.patch(id, { amount: amount * 2 })
      },
    },
  },
})

const pass = async (_request: unknown, _reply: unknown, next: () => Promise<unknown>) => void (await next())

describeOnBoth('actions where findOne is replaced', (database) => {
  const service = useApp(database, resources, {
    plugin: {
      actions: actions as never,
      handlers: { invoice: { findOne: { access: { action: 'View', id: 'id' }, handler: pass } } },
    },
  })

  test('are 405 if they answer with the record, as that would go past the handler', async () => {
    const { id } = await service.add('/api/invoice', { total: 1 })
    const paid = await service.post(`/api/invoice/${id}/$act/pay`, undefined)
    expectProblem(paid, { code: 'CRUD_ERR_METHOD' })
    expect(paid.headers.allow).toBe('')
    expectProblem(await service.get(`/api/invoice/${id}/$act/look`), { code: 'CRUD_ERR_METHOD' })
    expect((await service.read(`/api/invoice/${id}`)).status).toBe('draft')
  })

  test('are there if they answer with something else, and for other resources', async () => {
    const { id, lines } = await service.add('/api/invoice', { total: 1, lines: [{ amount: 2 }] })
    expect(await service.read(`/api/invoice/${id}/$act/tally`)).toBe(1)
    expect((await service.post('/api/invoice/$act/sum', undefined)).body).toBe(1)
    expect((await service.post('/api/invoice/$act/clear', undefined)).status).toBe(204)
    const doubled = await service.post(`/api/line/${lines[0].id}/$act/double`, undefined)
    expect([doubled.status, doubled.body.amount]).toEqual([200, 4])
  })

  test('are not in $model then', async () => {
    const { invoice, line } = (await service.read('/api/$model')).resources
    expect([Object.keys(invoice.actions), Object.keys(line.actions)]).toEqual([['tally', 'sum', 'clear'], ['double']])
  })
})

const handlers: Handlers<typeof resources, unknown, typeof actions> = {
  invoice: {
    pay: {
      access: { action: 'View', id: 'id' },
      async handler(_request, reply, next) {
        reply.header('x-status', (await next())?.status)
      },
    },
    look: {
      access: { action: 'View', id: 'id' },
      async handler(_request, _reply, next) {
        Object.assign((await next()) as object, { seen: true })
      },
    },
    tally: { access: { action: 'View', id: 'id' }, handler: (_request, reply) => void reply.code(202).send({}) },
    sum: { access: { action: 'View' }, handler: pass },
  },
  line: { double: { access: { action: 'Edit', id: 'id' }, handler: pass } },
}

describeOnBoth('handlers of actions', (database) => {
  const asked: unknown[] = []
  let mayEdit = true
  const service = useApp(database, resources, {
    plugin: {
      actions: actions as never,
      authorize(_, { action, resource, operation, id }: AccessQuestion) {
        asked.push([action, resource, operation, id])
        return action !== 'Edit' || mayEdit
      },
      handlers: handlers as never,
    },
  })

  test('run in their place, and next() carries them out', async () => {
    const { id } = await service.add('/api/invoice', { total: 1 })
    asked.splice(0)
    const paid = await service.post(`/api/invoice/${id}/$act/pay`, undefined)
    expect(paid).toMatchObject({ status: 200, body: { id, status: 'paid' }, headers: { 'x-status': 'paid' } })
    expect(paid.headers.etag).toBe((await service.get(`/api/invoice/${id}`)).headers.etag)
    expect(asked.slice(0, 2)).toEqual([
      ['View', 'invoice', 'pay', id],
      ['Edit', 'invoice', 'pay', id],
    ])
    expect((await service.get(`/api/invoice/${id}/$act/tally`)).status).toBe(202)
    expect((await service.post('/api/invoice/$act/sum', undefined)).body).toBe(1)
  })

  test('get the record whatever Prefer says, and what they change has no ETag', async () => {
    const { id } = await service.add('/api/invoice', { total: 1 })
    const paid = await service.request('POST', `/api/invoice/${id}/$act/pay`, undefined, { prefer: 'return=minimal' })
    expect([paid.status, paid.headers['x-status'], paid.body]).toEqual([204, 'paid', undefined])
    const seen = await service.get(`/api/invoice/${id}/$act/look`)
    expect(seen.body).toMatchObject({ id, seen: true })
    expect(seen.headers.etag).toBeUndefined()
  })

  test('are asked for what the action asks, too, when they call next()', async () => {
    const { id } = await service.add('/api/invoice', { total: 1 })
    mayEdit = false
    expectProblem(await service.post(`/api/invoice/${id}/$act/pay`, undefined), { code: 'CRUD_ERR_FORBIDDEN' })
    mayEdit = true
    expect((await service.read(`/api/invoice/${id}`)).status).toBe('draft')
  })

  test('do not get the path at the top, which is 405, unless they name it', async () => {
    const { id, lines } = await service.add('/api/invoice', { total: 1, lines: [{ amount: 2 }] })
    const path = `line/${lines[0].id}/$act/double`
    expectProblem(await service.post(`/api/${path}`, undefined), { code: 'CRUD_ERR_METHOD' })
    expect((await service.post(`/api/invoice/${id}/${path}`, undefined)).body.amount).toBe(4)
  })
})

describeOnBoth('routes of actions', (database) => {
  const ran: string[] = []
  const seen: RouteOptions[] = []
  const routes: Routes<typeof resources, typeof actions> = {
    line: {
      double: {
        config: { mine: 1 },
        logLevel: 'warn',
        preHandler: async ({ routeOptions }) => void ran.push(JSON.stringify(routeOptions.config.crud)),
      },
    },
  }
  const service = useApp(database, resources, {
    before: (app) => void app.addHook('onRoute', (route) => void seen.push(route)),
    plugin: {
      actions: actions as never,
      routes: routes as never,
    },
  })

  test('have what the application says, on all of their paths', async () => {
    const { id, lines } = await service.add('/api/invoice', { total: 1, lines: [{ amount: 2 }] })
    const path = `line/${lines[0].id}/$act/double`
    for (const at of [`/api/${path}`, `/api/invoice/${id}/${path}`])
      expect((await service.post(at, undefined)).status).toBe(200)
    expect((await service.post(`/api/invoice/${id}/$act/pay`, undefined)).status).toBe(200)
    const crud = JSON.stringify({ resource: 'line', operation: 'double' })
    expect(ran).toEqual([crud, crud])
    const mine = seen.filter(({ config, logLevel }) => config !== undefined && 'mine' in config && logLevel === 'warn')
    expect(mine.map(({ url }) => url)).toEqual([
      '/api/invoice/:invoice_id/line/:id/$act/double',
      '/api/line/:id/$act/double',
    ])
  })

  test('that are not there fail the start, as do handlers that do not say who may call them', async () => {
    const refused = async (options: object) => {
      const app = Fastify()
      const started = app.register(crudPlugin, { db: service.db, resources, actions, ...options } as never)
      const failure = await Promise.resolve(started).then(
        () => 'started',
        (error: Error) => error.message,
      )
      await app.close()
      return failure
    }
    const names = 'list, findOne, create, replace, patch, delete, pay, tally, look, sum, clear'
    expect(await refused({ routes: { invoice: { pya: {} } } })).toBe(
      `routes.invoice.pya: no operation 'pya'; there are ${names}`,
    )
    expect(await refused({ routes: { invoice: { pay: { schema: {} } } } })).toMatch(/^routes\.invoice\.pay\.schema: no/)
    const handler = () => undefined
    expect(await refused({ handlers: { invoice: { pay: { handler } } } })).toMatch(/^handlers\.invoice\.pay\.access: /)
    expect(await refused({ handlers: { invoice: { pay: { access: { action: 'View' }, handler } } } })).toMatch(
      /^handlers\.invoice\.pay\.access\.id: must name/,
    )
    const access = { action: 'View', id: 'x_id' }
    expect(await refused({ handlers: { invoice: { pay: { access, handler } } } })).toMatch(
      /access\.id: the path \/invoice\/:id\/\$act\/pay has no parameter 'x_id'/,
    )
  })
})
