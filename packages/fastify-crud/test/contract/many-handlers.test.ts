import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { withAssignedIds } from '../../../../test/support/test-ids.ts'
import { shopFloor } from './models/shop-floor.ts'

const methodError = { code: 'CRUD_ERR_METHOD' } as const

describeOnBoth('writes of many records where an endpoint is replaced', (database) => {
  let handled: string[] = []
  const replaced = (action: 'Add' | 'Edit' | 'Delete', more: object = {}) => ({
    access: { action, ...(action === 'Add' ? {} : { id: 'id' }) },
    ...more,
    async handler(request: { method: string }, _reply: unknown, next: () => Promise<unknown>) {
      handled.push(request.method)
      await next()
    },
  })
  const service = useApp(database, shopFloor, {
    plugin: {
      handlers: {
        tag: { create: replaced('Add'), patch: replaced('Edit'), delete: replaced('Delete') },
        maker: {
          create: replaced('Add', { also: ['array', 'by'] }),
          replace: replaced('Edit', { also: ['by'] }),
          patch: replaced('Edit', { also: ['filter'] }),
        },
        item: { create: replaced('Add') },
      } as never,
    },
  })
  let tag: JsonBody

  beforeEach(async () => {
    tag = await service.add('/api/tag', { name: 't' })
    handled = []
  })

  test('are 405, as they would go past the handler', async () => {
    await service.refuse('POST', '/api/tag', [{ name: 'x' }], methodError)
    await service.refuse('PATCH', '/api/tag', [{ id: tag.id, name: 'x' }], methodError)
    const prefer = { prefer: 'max-affected=1' }
    expectProblem(await service.request('PATCH', '/api/tag?filter[name]=t', { name: 'x' }, prefer), methodError)
    expectProblem(await service.request('DELETE', '/api/tag?filter[name]=t', undefined, prefer), methodError)
    expect(handled).toEqual([])
    expect((await service.post('/api/tag', { name: 'y' })).status).toBe(201)
  })

  test('PUT by unique values is 405 if the handler of create does not name it', async () => {
    const { id: makerId } = await service.add('/api/maker', { name: 'm' })
    await service.refuse('PUT', '/api/item?by=code', { code: 'a', makerId }, methodError)
    const { id } = await service.add('/api/item', { code: 'a', makerId })
    expect((await service.put('/api/item', { id, code: 'b', makerId })).status).toBe(200)
  })

  test('reach the handler that names them', async () => {
    expect((await service.post('/api/maker', [{ name: 'x' }, { name: 'y' }])).body.rows).toHaveLength(2)
    expect((await service.put('/api/maker?by=name', { name: 'x' })).status).toBe(200)
    const prefer = { prefer: 'max-affected=1' }
    const patched = await service.request('PATCH', '/api/maker?filter[name]=x', { name: 'z' }, prefer)
    expect(patched).toMatchObject({ status: 200, body: { count: 1 } })
    await service.refuse('PATCH', '/api/maker', [{ id: tag.id, name: 'x' }], methodError)
    expect(handled).toEqual(['POST', 'PUT', 'PATCH'])
  })
})

describeOnBoth('a handler that changes what a request is about', (database) => {
  const service = useApp(database, withAssignedIds(shopFloor), {
    plugin: {
      handlers: {
        tag: {
          create: {
            access: { action: 'Add' },
            async handler(request: { body: unknown }, _reply: unknown, next: () => Promise<unknown>) {
              request.body = { many: [{ name: 'x' }, { name: 'y' }], one: { name: 'z' } }[
                String((request.body as JsonBody).name)
              ]
              await next()
            },
            also: ['array'],
          },
        },
        slot: {
          replace: {
            access: { action: 'Edit', id: 'id' },
            async handler(request: { query: object }, _reply: unknown, next: () => Promise<unknown>) {
              Reflect.deleteProperty(request.query, 'by')
              await next()
            },
            also: ['by'],
          },
        },
      } as never,
    },
  })

  test('has as many records written as its body names by then', async () => {
    const many = await service.post('/api/tag', { name: 'many' })
    expect([many.status, (many.body.rows as unknown[]).length]).toEqual([201, 2])
    const one = await service.post('/api/tag', { name: 'one' })
    expect(one).toMatchObject({ status: 201, body: { name: 'z' } })
    expect(one.headers.location).toBe(`/api/tag/${one.body.id}`)
  })

  test('has the record written that the body names by its id, where it takes `by` out of the query', async () => {
    const slot = await service.add('/api/slot', { number: 1 })
    const put = await service.put('/api/slot?by=number', { id: slot.id, number: 2 })
    expect(put).toMatchObject({ status: 200, body: { id: slot.id, number: 2 } })
  })
})
