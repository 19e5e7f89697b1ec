import type { AccessQuestion, Model } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { shop } from './shop.ts'

describeOnBoth('access to owned records at the top', (database) => {
  let asked: AccessQuestion[] = []
  let refused: (question: AccessQuestion) => boolean = () => false
  let handled: unknown[] = []
  const service = useApp(database, shop as Model, {
    plugin: {
      authorize(_request, question) {
        asked.push(question)
        return !refused(question)
      },
      handlers: {
        line: {
          findOne: {
            access: { action: 'View', id: 'order_id' },
            also: ['topLevel'],
            async handler(request, _reply, next) {
              handled.push(request.params)
              await next()
            },
          },
        },
      },
    },
  })
  let ada: JsonBody
  let order: JsonBody
  let line: JsonBody
  let pen: JsonBody
  let ink: JsonBody

  beforeEach(async () => {
    refused = () => false
    pen = await service.add('/api/product', { title: 'Pen' })
    ink = await service.add('/api/product', { title: 'Ink' })
    const orders = [{ number: 1, lines: [{ code: 'a', productId: pen.id }] }]
    ada = await service.add('/api/customer', { name: 'Ada', orders })
    ;[order] = ada.orders
    ;[line] = order.lines
    asked = []
    handled = []
  })

  /** The questions of a request, with the id where they name a record. */
  async function askedBy(method: string, path: string, body?: unknown): Promise<readonly string[]> {
    asked = []
    const answer = await service.request(method, path, body)
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return asked.map(({ action, resource, id }) => [action, resource, id].filter((one) => one !== undefined).join(' '))
  }

  test('is asked of the owner by its id, with `authorizedBy`', async () => {
    const view = `View order ${order.id}`
    const edit = `Edit order ${order.id}`
    expect(await askedBy('PATCH', `/api/line/${line.id}`, { quantity: 2 })).toEqual(
      expect.arrayContaining([view, edit]),
    )
    expect(await askedBy('POST', '/api/line', { orderId: order.id, productId: ink.id })).toEqual(
      expect.arrayContaining([view, edit]),
    )
    expect(await askedBy('GET', `/api/line/${line.id}`)).toContain(view)
    expect(await askedBy('DELETE', `/api/line/${line.id}`)).toEqual([view, edit])
    expect(await askedBy('GET', '/api/line')).toEqual(['View order', 'View product'])
    expect(await askedBy('PATCH', `/api/order/${order.id}`, { number: 5 })).toContain(`Edit order ${order.id}`)
  })

  test('hides records of an owner that may not be seen like those that do not exist', async () => {
    const { id: unknown } = await service.add('/api/line', { orderId: order.id, productId: ink.id })
    expect((await service.delete(`/api/line/${unknown}`)).status).toBe(204)
    refused = ({ action, resource, id }) => action === 'View' && resource === 'order' && id === order.id
    const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const
    for (const [method, body] of [
      ['PUT', { productId: pen.id }],
      ['PATCH', {}],
      ['DELETE', undefined],
      ['GET', undefined],
    ] as const) {
      const hidden = await service.refuse(method, `/api/line/${line.id}`, body, notFound)
      const missing = await service.refuse(method, `/api/line/${unknown}`, body, notFound)
      expect(hidden.detail).toBe(missing.detail.replace(String(unknown), String(line.id)))
    }
    const ofUnknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/orderId'] } as const
    await service.refuse('POST', '/api/line', { orderId: order.id, productId: pen.id }, ofUnknown)
  })

  test('refuses writes where the owner may be seen, but not edited', async () => {
    refused = ({ action, resource }) => action === 'Edit' && resource === 'order'
    const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const
    await service.refuse('PATCH', `/api/line/${line.id}`, { quantity: 2 }, forbidden)
    await service.refuse('POST', '/api/line', { orderId: order.id, productId: pen.id }, forbidden)
    await service.refuse('DELETE', `/api/line/${line.id}`, undefined, forbidden)
    expect((await service.get(`/api/line/${line.id}`)).status).toBe(200)
  })

  test('of a replaced endpoint is asked of the owner that the path does not name', async () => {
    expect(await askedBy('GET', `/api/line/${line.id}`)).toContain(`View order ${order.id}`)
    expect(handled).toEqual([{ id: String(line.id) }])
    await askedBy('GET', `/api/customer/${ada.id}/order/${order.id}/line/${line.id}`)
    expect(handled).toHaveLength(2)
  })
})
