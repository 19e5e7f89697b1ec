import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { missingId } from '../../../../test/support/test-ids.ts'
import { ownsMany } from './models/owns-many.ts'
import { plainProduct, product } from './models/product.ts'

describeOnBoth('a handler that calls `next()`', (database) => {
  const results: JsonBody[] = []
  const pass = async (_request: unknown, _reply: unknown, next: () => Promise<unknown>) => {
    results.push(await next())
  }
  const service = useApp(database, product, {
    plugin: {
      handlers: {
        product: {
          list: { access: { action: 'View' }, handler: pass },
          findOne: { access: { action: 'View', id: 'id' }, handler: pass },
          create: { access: { action: 'Add' }, handler: pass },
          replace: { access: { action: 'Edit', id: 'id' }, handler: pass },
          patch: { access: { action: 'Edit', id: 'id' }, handler: pass },
          delete: { access: { action: 'Delete', id: 'id' }, handler: pass },
        },
      },
    },
  })

  beforeEach(() => {
    results.length = 0
  })

  test('runs the predefined endpoint; its result is sent when the handler is done', async () => {
    const created = await service.post('/api/product', { name: 'a' })
    expect(created.status).toBe(201)
    const { id } = created.body
    expect(created.headers.location).toMatch(new RegExp(`/api/product/${id}$`))
    const record = { id, ...plainProduct('a') }
    expect(created.body).toEqual(record)
    expect(await service.read(`/api/product/${id}`)).toEqual(record)
    expect(await service.read('/api/product')).toEqual({ rows: [record], count: 1 })
    const replaced = await service.put(`/api/product/${id}`, { name: 'b' })
    expect([replaced.status, replaced.body]).toEqual([200, { ...record, name: 'b' }])
    const patched = await service.patch(`/api/product/${id}`, { name: 'c' })
    expect([patched.status, patched.body]).toEqual([200, { ...record, name: 'c' }])
    const deleted = await service.delete(`/api/product/${id}`)
    expect([deleted.status, deleted.body]).toEqual([204, undefined])
    expect(results).toHaveLength(6)
  })

  test('`next()` resolves to its result', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    await service.read(`/api/product/${id}`)
    await service.read('/api/product')
    const record = { id, ...plainProduct('a') }
    expect(results).toEqual([record, record, { rows: [record], count: 1 }])
  })

  test('the predefined refusals stay', async () => {
    await service.refuse('GET', `/api/product/${missingId('product')}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('POST', '/api/product', { x: 1 }, { code: 'CRUD_ERR_INVALID', pointers: ['/name', '/x'] })
    await service.refuse('GET', '/api/product?limit=0', undefined, { code: 'CRUD_ERR_INVALID' })
    expect(results).toEqual([])
  })
})

describeOnBoth('what a handler makes of `next()`', (database) => {
  const log: string[] = []
  const stream = { write: (line: string) => void log.push(line) }
  const service = useApp(database, product, {
    fastify: { logger: { level: 'warn', stream } },
    plugin: {
      handlers: {
        product: {
          findOne: {
            access: { action: 'View', id: 'id' },
            async handler(_, reply, next) {
              const record = (await next()) as Record<string, unknown>
              reply.header('x-seen', '1').send({ ...record, price: 'secret' })
            },
          },
          list: { access: { action: 'View' }, async handler() {} },
          patch: {
            access: { action: 'Edit', id: 'id' },
            async handler() {
              throw new Error('my own trouble')
            },
          },
          delete: {
            access: { action: 'Delete', id: 'id' },
            async handler(_request, reply, next) {
              await next().catch(() => reply.code(200).send({ gone: true }))
            },
          },
        },
      },
    },
  })

  test('it may answer itself after `next()`', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    const answer = await service.get(`/api/product/${id}`)
    expect(answer.headers['x-seen']).toBe('1')
    expect(answer.body).toEqual({ id, ...plainProduct('a'), price: 'secret' })
  })

  test('one that neither answers nor calls `next` gets a 500 that the log explains', async () => {
    log.length = 0
    expectProblem(await service.get('/api/product'), { code: 'CRUD_ERR_INTERNAL' })
    expect(log.join('\n')).toMatch(/next/)
    expect(log.join('\n')).toMatch(/product/)
  })

  test('one that throws gets a 500 that says nothing', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    log.length = 0
    const answer = await service.patch(`/api/product/${id}`, { name: 'b' })
    expectProblem(answer, { code: 'CRUD_ERR_INTERNAL' })
    expect(JSON.stringify(answer.body)).not.toContain('trouble')
    expect(log.join('\n')).toContain('my own trouble')
  })

  test('it may catch what the predefined endpoint refuses', async () => {
    const answer = await service.delete(`/api/product/${missingId('product')}`)
    expect([answer.status, answer.body]).toEqual([200, { gone: true }])
    const { id } = await service.add('/api/product', { name: 'a' })
    expect((await service.delete(`/api/product/${id}`)).status).toBe(204)
  })
})

describeOnBoth('a replaced endpoint below an owner', (database) => {
  const seen: unknown[] = []
  const service = useApp(database, ownsMany, {
    plugin: {
      handlers: {
        child: {
          findOne: {
            access: { action: 'View', id: 'id' },
            async handler(request, reply, next) {
              seen.push(request.params)
              reply.send({ wrapped: await next() })
            },
          },
        },
      },
    },
  })

  test('is replaced there', async () => {
    const { id, children } = await service.add('/api/parent', { name: 'a', children: [{ name: 'c' }] })
    const path = `/api/parent/${id}/child/${children[0].id}`
    expect(await service.read(path)).toEqual({ wrapped: children[0] })
    expect(await service.read(`/api/parent/${id}`)).toMatchObject({ children })
    expect(seen).toHaveLength(1)
  })
})
