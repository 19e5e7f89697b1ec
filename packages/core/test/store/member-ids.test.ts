import { createStore, defineResources, needs, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { describe, expect, onTestFinished, test } from 'vitest'
import { databases } from '../../../../test/support/databases.ts'

const resources = defineResources({
  order: {
    id: 'integer',
    fields: { name: Type.String() },
    relations: { lines: owns.many('line'), bill: owns.one('bill') },
  },
  line: {
    id: ['order', 'product'],
    fields: { quantity: Type.Integer({ default: 1 }) },
    relations: { order: ownedBy('order'), product: needs.one('product') },
  },
  bill: { id: ['order'], fields: { total: Type.Integer() }, relations: { order: ownedBy('order') } },
  product: { id: 'text', fields: { name: Type.String() } },
  seat: {
    id: ['row', 'number'],
    fields: { row: Type.String(), number: Type.Integer(), guest: Type.Optional(Type.String()) },
  },
  mark: { id: ['order', 'number'], fields: { number: Type.Integer() }, relations: { order: needs.one('order') } },
})

describe.each(databases)('the store, where members make up ids ($name)', (database) => {
  async function opened() {
    const open = await database.open()
    onTestFinished(() => open.close())
    await createTables(open.db, resources)
    const store = createStore({ db: open.db, resources })
    for (const id of ['a', 'b,c', 'd']) await store.product.create({ id, name: id })
    const order = await store.order.create({
      name: 'o',
      lines: [
        { productId: 'a', quantity: 1 },
        { productId: 'b,c', quantity: 2 },
      ],
    })
    return { db: open.db, store, order, lines: store.order.owned(order.id, 'lines') }
  }

  test('has records at the top under their whole ids', async () => {
    const { store } = await opened()
    const made = await store.seat.create({ row: 'A,B', number: 0 })
    expect(made).toEqual({ id: 'A~1B,0', row: 'A,B', number: 0, guest: null })
    expect(await store.seat.create({ guest: 'g' } as never, { id: 'C,-1' })).toEqual({
      id: 'C,-1',
      row: 'C',
      number: -1,
      guest: 'g',
    })
    expect(await store.seat.find('A~1B,0')).toEqual(made)
    expect(await store.seat.replace('A~1B,0', { guest: 'x' })).toEqual({ ...made, guest: 'x' })
    expect(await store.seat.patch('A~1B,0', { guest: null })).toEqual(made)
    const { rows, count } = await store.seat.list({ sort: ['id'] })
    expect([rows.map(({ id }) => id), count]).toEqual([['A~1B,0', 'C,-1'], 2])
    expect((await store.seat.list({ filter: { id: { in: ['C,-1', 'X,1'] } } })).rows).toMatchObject([{ id: 'C,-1' }])
    await store.seat.delete('A~1B,0')
    await expect(store.seat.find('A~1B,0')).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
    await expect(store.seat.create({ guest: 'h' } as never, { id: 'C,-1' })).rejects.toMatchObject({
      code: 'CRUD_ERR_EXISTS',
    })
  })

  test('has owned records under the id without the part of the owner', async () => {
    const { store, order, lines } = await opened()
    expect(order.lines.map(({ id }) => id)).toEqual(['a', 'b,c'])
    expect(await lines.find('b,c')).toEqual(order.lines[1])
    expect(await lines.create({ quantity: 3 } as never, { id: 'd' })).toMatchObject({
      id: 'd',
      productId: 'd',
      quantity: 3,
    })
    expect(await lines.replace('d', { quantity: 4 })).toMatchObject({ id: 'd', quantity: 4 })
    expect(await lines.patch('d', { quantity: 5, productId: 'd' })).toMatchObject({ quantity: 5 })
    await lines.delete('d')
    expect((await lines.list()).rows).toEqual(order.lines)
    const bills = store.order.owned(order.id, 'bill')
    expect(await bills.create({ total: 1 })).toEqual({ id: order.id, total: 1 })
    expect(await bills.patch(order.id, { total: 2 })).toEqual({ id: order.id, total: 2 })
    expect(await store.order.replace(order.id, { ...order, bill: null })).toEqual(order)
  })

  test('takes 0 for a part as for any other number', async () => {
    const { store, order } = await opened()
    const zero = await store.mark.create({ orderId: order.id, number: 0 })
    expect(zero.id).toBe(`${order.id},0`)
    expect(await store.mark.find(`${order.id},0`)).toEqual(zero)
  })

  test('refuses what is no such id, in its own words', async () => {
    const { store, lines } = await opened()
    for (const wrong of ['', 'A', 'A,1,2', 'A,x', 'A,01', 5, null, undefined, {}, ['A', 1], Number.NaN]) {
      const refused = { code: 'CRUD_ERR_INVALID' }
      await expect(store.seat.find(wrong as never), JSON.stringify(wrong)).rejects.toMatchObject(refused)
      await expect(store.seat.delete(wrong as never)).rejects.toMatchObject(refused)
      await expect(store.seat.patch(wrong as never, {})).rejects.toMatchObject(refused)
    }
    for (const wrong of ['', 1, null]) {
      await expect(lines.find(wrong as never)).rejects.toMatchObject({ code: 'CRUD_ERR_INVALID' })
    }
    await expect(store.seat.find('A,1')).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND', message: /seat A,1/ })
  })

  test('plans a dry run with whole ids, and writes in a transaction of the application', async () => {
    const { db, store, order, lines } = await opened()
    const { plan } = await lines.delete('b,c', { dryRun: true })
    expect(plan.steps).toEqual([{ step: 'delete', resource: 'line', ids: [`${order.id},b~1c`] }])
    const created = await lines.create({ productId: 'd', quantity: 1 }, { dryRun: true })
    expect(created.record).toMatchObject({ id: 'd' })
    expect(created.plan.result).toBe(`${order.id},d`)
    expect(await store.order.find(order.id)).toEqual(order)
    const undone = db.transaction().execute(async (transaction) => {
      const inside = store.in(transaction)
      await inside.order.owned(order.id, 'lines').delete('a')
      await inside.seat.create({ row: 'A', number: 1 })
      expect((await inside.order.find(order.id)).lines).toHaveLength(1)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await store.order.find(order.id)).toEqual(order)
    expect((await store.seat.list()).count).toBe(0)
  })
})
