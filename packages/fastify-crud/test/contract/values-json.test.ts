import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const drawings = defineResources({
  drawing: { fields: {}, relations: { layers: owns.many('layer') } },
  layer: {
    fields: {
      points: Type.Optional(Type.Array(Type.Integer())),
      style: Type.Optional(Type.Object({ color: Type.String() })),
    },
    relations: { drawing: ownedBy('drawing') },
  },
})

describeOnBoth('fields that are arrays and objects', (database) => {
  const service = useApp(database, drawings)

  test('are written in one, a few and many records of one PUT', async () => {
    const given = Array.from({ length: 12 }, () => ({ points: [1], style: null }))
    const { id, layers } = await service.add('/api/drawing', { layers: given })
    for (const changed of [1, 2, 12]) {
      const expected = layers.map((layer: object, index: number) =>
        index < changed ? { ...layer, points: [changed, index], style: { color: `c${changed}` } } : layer,
      )
      const put = await service.put(`/api/drawing/${id}`, { layers: expected })
      expect(put).toMatchObject({ status: 200, body: { id, layers: expected } })
      expect(await service.read(`/api/drawing/${id}`)).toEqual({ id, layers: expected })
    }
  })
})
