import { set } from 'fastify-crud'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { useShop } from './support/use-shop.ts'

describeOnBoth('`set` on change, where fields and links change at once', (database) => {
  const shop = useShop(database, { order: set({ status: () => 'changed' }, { on: 'change' }) })

  test('leaves a PATCH its fields', async () => {
    const { red, blue } = shop.rows
    const { body } = await shop.service.patch(shop.path, { title: 'second', tags: [{ id: blue.id }] })
    const changed = { title: 'second', status: 'changed', tags: [{ id: red.id }, { id: blue.id }] }
    expect(body).toMatchObject(changed)
    expect(await shop.all().order.find(shop.order.id)).toMatchObject(changed)
  })

  test('leaves a PUT its fields and foreign keys', async () => {
    const changed = { title: 'second', customerId: shop.rows.other.id, couponId: null, tags: [] }
    const { body } = await shop.service.put(shop.path, { ...shop.order, ...changed })
    expect(body).toMatchObject({ ...changed, status: 'changed' })
  })
})
