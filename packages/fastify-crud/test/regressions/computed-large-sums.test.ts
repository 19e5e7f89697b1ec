import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns, sumOf } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  order: { fields: {}, relations: { lines: owns.many('line') }, computed: { total: sumOf('lines', 'amount') } },
  line: { fields: { amount: Type.Number() }, relations: { order: ownedBy('order') } },
})

describeOnBoth('a sum of numbers that no number can hold', (database) => {
  const service = useApp(database, resources)
  const most = Number.MAX_VALUE

  test.each([
    [[most, most], most],
    [[-most, -most, 1], -most],
    [[most, 1], most],
    [[1e300, -1e300, 5e-324], 5e-324],
    [[1e300, -1e300], 0],
    [[0.1, 0.2], 0.1 + 0.2],
  ])('of %j is %d, and the list can be read', async (amounts, total) => {
    const { id } = await service.add('/api/order', {})
    for (const amount of amounts) await service.add(`/api/order/${id}/line`, { amount })
    expect(await service.read(`/api/order/${id}`)).toMatchObject({ total })
    expect((await service.read('/api/order?sort=-total')).rows).toMatchObject([{ total }])
    expect((await service.read(`/api/order?filter[total][lte]=${encodeURIComponent(total)}`)).count).toBe(1)
  })
})
