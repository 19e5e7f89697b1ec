import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'
import { addShop, shop } from './models.ts'

type Next = () => Promise<unknown>

describeOnBoth('replaced endpoints of records whose ids have several parts', (database) => {
  const asked: unknown[] = []
  const called: unknown[] = []
  let isOn = false
  const pass = async (request: { method: string; params: unknown }, _reply: unknown, next: Next) => {
    called.push([request.method, request.params])
    await next()
  }
  const onRecord = (action: 'View' | 'Edit' | 'Delete') => ({ access: { action, id: 'id' }, handler: pass }) as const
  const all = {
    list: { access: { action: 'View' }, handler: pass },
    findOne: onRecord('View'),
    create: { access: { action: 'Add' }, handler: pass },
    replace: onRecord('Edit'),
    patch: onRecord('Edit'),
    delete: onRecord('Delete'),
  } as const
  const service = useApp(database, shop, {
    plugin: {
      handlers: { line: all, seat: all },
      authorize(_request, { action, resource, operation, id }) {
        if (isOn) asked.push([action, resource, operation, id])
        return true
      },
    },
  })
  let order: JsonBody
  let path: string
  let seat: JsonBody

  beforeEach(async () => {
    ;({ order, path, seat } = await addShop(service))
    asked.length = 0
    called.length = 0
    isOn = true
    return () => {
      isOn = false
    }
  })

  test('get the parameters of the path; `authorize` has the whole id; `next()` runs the predefined endpoint', async () => {
    const [line] = order.lines
    const owner = String(order.id)
    const whole = `${owner},a`
    for (const [method, url, body, status, params, access] of [
      ['GET', `${path}/line/a`, undefined, 200, { order_id: owner, id: 'a' }, ['View', 'line', 'findOne', whole]],
      ['PUT', `${path}/line/a`, line, 200, { order_id: owner, id: 'a' }, ['Edit', 'line', 'replace', whole]],
      ['PATCH', `${path}/line/a`, {}, 200, { order_id: owner, id: 'a' }, ['Edit', 'line', 'patch', whole]],
      ['GET', '/api/seat/h%2CA%2C1', undefined, 200, { id: 'h,A,1' }, ['View', 'seat', 'findOne', 'h,A,1']],
      ['PUT', '/api/seat/h,A,1', seat, 200, { id: 'h,A,1' }, ['Edit', 'seat', 'replace', 'h,A,1']],
      ['PATCH', '/api/seat/h,%41,1', {}, 200, { id: 'h,A,1' }, ['Edit', 'seat', 'patch', 'h,A,1']],
      ['POST', '/api/seat/h,x~1y,2', {}, 201, { id: 'h,x~1y,2' }, ['Add', 'seat', 'create', undefined]],
      ['GET', '/api/seat/h,x~1y,2', undefined, 200, { id: 'h,x~1y,2' }, ['View', 'seat', 'findOne', 'h,x~1y,2']],
      ['GET', `${path}/line`, undefined, 200, { order_id: owner }, ['View', 'line', 'list', undefined]],
      [
        'POST',
        `${path}/line`,
        { productId: 'd', quantity: 1 },
        201,
        { order_id: owner },
        ['Add', 'line', 'create', undefined],
      ],
      ['PUT', '/api/seat', seat, 200, {}, ['Edit', 'seat', 'replace', 'h,A,1']],
      ['PUT', `${path}/line`, line, 200, { order_id: owner }, ['Edit', 'line', 'replace', whole]],
      ['DELETE', `${path}/line/a`, undefined, 204, { order_id: owner, id: 'a' }, ['Delete', 'line', 'delete', whole]],
      ['DELETE', '/api/seat/h,A,1', undefined, 204, { id: 'h,A,1' }, ['Delete', 'seat', 'delete', 'h,A,1']],
    ] as const) {
      asked.length = 0
      called.length = 0
      const answer = await service.request(method, url, body)
      expect([method, url, answer.status], JSON.stringify(answer.body)).toEqual([method, url, status])
      expect(called).toEqual([[method, params]])
      expect(asked[0]).toEqual(access)
    }
  })

  test('are not called for a path that is no id', async () => {
    for (const url of ['/api/seat/h', '/api/seat/h,A', '/api/seat/h,A,1,', '/api/seat/h,A,01', '/api/seat/h,A,x']) {
      await service.refuse('GET', url, undefined, { code: 'CRUD_ERR_INVALID' })
      await service.refuse('DELETE', url, undefined, { code: 'CRUD_ERR_INVALID' })
    }
    expect(called).toEqual([])
  })
})
