import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { afterEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { type Follower, follow } from './support/follow.ts'

const resources = defineResources(
  {
    shop: { id: 'text', fields: { name: Type.String() }, history: true },
    country: { id: 'text', fields: { name: Type.String() }, tenant: false, public: true, history: true },
    order: { fields: { text: Type.String() }, relations: { lines: owns.many('line') }, history: true },
    line: { fields: { text: Type.String() }, relations: { order: ownedBy('order') } },
  },
  { tenant: { resource: 'shop' } },
)

const caller = ({ headers }: { headers: Record<string, unknown> }) => ({ shop: headers['x-shop'] })

const open: Follower[] = []
afterEach(() => {
  for (const one of open.splice(0)) one.close()
})

describeOnBoth('A stream of changes, where there are tenants', (database) => {
  const app = useApp(database, resources, {
    plugin: { caller, tenant: (({ shop }: JsonBody) => shop) as never, changes: { poll: 1_000_000 } },
  })
  const crud = () => (app.fastify as unknown as JsonBody).crud
  const followed = async (path: string, shop?: string) => {
    const one = await follow(app.fastify, path, shop === undefined ? {} : { 'x-shop': shop })
    open.push(one)
    return one
  }

  test('tells each of its own records, and of what all share', async () => {
    for (const id of ['a', 'b'])
      await crud()
        .asSystem()
        .shop.create({ id, name: `the shop ${id}` })
    const streams = [await followed('/api/$changes', 'a'), await followed('/api/order/$changes', 'a')]
    const [all, orders] = streams as [Follower, Follower]
    const other = await followed('/api/$changes', 'b')
    const writing = async (shop: string, text: string) => {
      const ofShop = crud().asSystem({ tenant: shop })
      const { id } = await ofShop.order.create({ text, lines: [{ text }] })
      await ofShop.order.patch(id, { text: `${text}, changed` })
      await ofShop.order.delete(id)
    }
    await writing('b', 'zebra')
    await crud().asSystem().shop.patch('b', { name: 'the zebra' })
    await crud().asSystem().country.create({ id: 'FR', name: 'France' })
    await writing('a', 'tiger')
    await crud().asSystem().shop.patch('a', { name: 'the end' })
    await all.until(5)
    await orders.until(3)
    await other.until(5)
    expect(all.events.map(({ data }) => `${data.operation} ${data.resource}`)).toEqual([
      'create country',
      'create order',
      'patch order',
      'delete order',
      'patch shop',
    ])
    expect(JSON.stringify([all.events, orders.events])).not.toContain('zebra')
    expect(JSON.stringify(other.events)).not.toContain('tiger')
  })

  test('is 403 for who names no tenant', async () => {
    expect((await followed('/api/$changes')).status).toBe(403)
    expect((await followed('/api/order/$changes')).status).toBe(403)
    expect((await followed('/api/country/$changes')).status).toBe(200)
  })
})
