import { Type } from '@sinclair/typebox'
import { defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { updatesIn } from '../../../../test/support/statement-log.ts'
import { anyId } from '../../../../test/support/test-ids.ts'

const words = defineResources({
  order: {
    fields: { select: Type.String(), from: Type.Optional(Type.Integer()), 'a "b" c': Type.Optional(Type.String()) },
    relations: { table: needs.one('table'), groups: owns.many('group'), users: knows.many('user') },
  },
  group: {
    fields: { where: Type.Boolean(), toString: Type.Optional(Type.String()) },
    relations: { order: ownedBy('order') },
  },
  table: { fields: { constructor: Type.String() } },
  user: { fields: { values: Type.Any() } },
})

describeOnBoth('names that mean something to SQL or JavaScript', (database) => {
  const service = useApp(database, words)

  test('are names like any other', async () => {
    const table = await service.add('/api/table', { constructor: 'c' })
    const user = await service.add('/api/user', { values: { select: 1 } })
    const body = {
      select: "it's",
      from: 1,
      'a "b" c': '$1',
      tableId: table.id,
      groups: [{ where: true, toString: 'x' } as object, { where: false }],
      users: [{ id: user.id }],
    }
    const order = await service.add('/api/order', body)
    expect(order).toEqual({
      id: order.id,
      ...body,
      table,
      groups: [
        { id: anyId, where: true, toString: 'x' },
        { id: anyId, where: false, toString: null },
      ],
      users: [user],
    })
    const path = `/api/order/${order.id}`
    const statements = await service.statements(async () => {
      expect((await service.put(path, order)).body).toEqual(order)
    })
    expect(updatesIn(statements)).toEqual([])
    expect((await service.patch(path, { select: 'from' })).body).toEqual({ ...order, select: 'from' })
    expect((await service.read(`${path}/group`)).rows).toEqual(order.groups)
    await service.refuse('DELETE', `/api/table/${table.id}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    expect((await service.delete(path)).status).toBe(204)
  })
})
