import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { seenRows } from './support/seen-rows.ts'
import { useShop } from './support/use-shop.ts'

describeOnBoth('`validate` in a tree', (database) => {
  const seen = seenRows('validate')
  const shop = useShop(database, seen.rules)
  const { service } = shop
  const note = () => shop.order.lines[0]?.notes[0]

  /** The note has changed, and both of its owners are told so. */
  function expectNoteAndOwners(text: string): void {
    expect(seen.short()).toEqual(['Edit line above', 'Edit note', 'Edit order above'])
    expect(seen.of('note')[0]).toMatchObject({ before: { id: note().id, text: 'n' }, after: { id: note().id, text } })
    expect(seen.of('line')[0]?.changedBelow).toEqual(['notes'])
    for (const name of seen.of('order')[0]?.changedBelow ?? []) expect(name).toMatch(/^lines\b/)
  }

  test('is told of a row at depth 3 by its own path, and of each owner above it once', async () => {
    await service.patch(shop.notePath, { text: 'm' })
    expectNoteAndOwners('m')
  })

  test('is told the same if the PATCH of the owner three levels up changes it', async () => {
    const lines = [{ id: shop.order.lines[0].id, notes: [{ id: note().id, text: 'm' }] }]
    await service.patch(shop.path, { lines })
    expectNoteAndOwners('m')
  })

  test('is told the same if the PUT of the owner three levels up changes it', async () => {
    const record = await service.read(shop.path)
    record.lines[0].notes[0].text = 'm'
    await service.put(shop.path, record)
    expectNoteAndOwners('m')
  })

  test('is told the same if the PUT of the owner between changes it', async () => {
    const line = await service.read(shop.linePath(0))
    await service.put(shop.linePath(0), { ...line, notes: [{ ...line.notes[0], text: 'm' }] })
    expectNoteAndOwners('m')
  })

  test('is told of an owner above as it is: with the same values before and after', async () => {
    await service.patch(shop.notePath, { text: 'm' })
    for (const [resource, values] of [
      ['line', { id: shop.order.lines[0].id, text: 'a', amount: 1, productId: shop.rows.product.id }],
      ['order', { id: shop.order.id, title: 'first', status: 'open', customerId: shop.order.customerId }],
    ] as const) {
      expect(seen.of(resource)).toMatchObject([{ before: values, after: values }])
    }
  })

  test('is told of a row that is added at depth 3, and of its owners', async () => {
    await service.add(`${shop.linePath(1)}/note`, { text: 'new' })
    expect(seen.short()).toEqual(['Add note', 'Edit line above', 'Edit order above'])
    expect(seen.of('line')[0]?.after).toMatchObject({ text: 'b' })
  })

  test('is told of a row that is removed at depth 3, and of its owners', async () => {
    expect((await service.delete(shop.notePath)).status).toBe(204)
    expect(seen.short()).toEqual(['Delete note', 'Edit line above', 'Edit order above'])
    expect(seen.of('note')[0]).toMatchObject({ before: { text: 'n' }, after: null })
  })

  test('is told of all rows that a PUT removes by leaving them out', async () => {
    const { title, status, customerId, couponId, tags } = shop.order
    await service.put(shop.path, { title, status, customerId, couponId, tags })
    expect(seen.short()).toEqual(['Delete line', 'Delete line', 'Delete note', 'Delete slip', 'Edit order above'])
    expect([...(seen.of('order')[0]?.changedBelow ?? [])].sort()).toEqual(['lines', 'slip'])
  })

  test('is told of an owned record that null removes', async () => {
    await service.patch(shop.path, { slip: null })
    expect(seen.short()).toEqual(['Delete slip', 'Edit order above'])
    expect(seen.of('order')[0]?.changedBelow).toEqual(['slip'])
  })

  test('is told of each row that goes with its owner', async () => {
    expect((await service.delete(shop.path)).status).toBe(204)
    const deleted = seen.all.filter(({ action }) => action === 'Delete').map(({ resource }) => resource)
    expect(deleted.sort()).toEqual(['line', 'line', 'note', 'order', 'slip'])
    expect(seen.of('note')).toMatchObject([{ before: { text: 'n' }, after: null }])
  })

  test('is told once of an owner that changes itself, too, with what changes below it', async () => {
    await service.patch(shop.path, { title: 'second', lines: [{ id: shop.order.lines[1].id, amount: 9 }] })
    expect(seen.of('order')).toMatchObject([
      { action: 'Edit', changedBelow: ['lines'], before: { title: 'first' }, after: { title: 'second' } },
    ])
    expect(seen.of('line')).toMatchObject([{ before: { amount: 2 }, after: { amount: 9 } }])
  })

  test('is not told of rows beside the changed one', async () => {
    await service.patch(shop.linePath(1), { amount: 9 })
    expect(seen.short()).toEqual(['Edit line', 'Edit order above'])
    expect(seen.of('line')).toMatchObject([{ after: { id: shop.order.lines[1].id } }])
  })

  test('is told of a child’s owner by its foreign key', async () => {
    await service.patch(shop.linePath(1), { amount: 9 })
    const foreignKey = { orderId: shop.order.id }
    expect(seen.of('line')).toMatchObject([{ before: foreignKey, after: foreignKey }])
  })
})
