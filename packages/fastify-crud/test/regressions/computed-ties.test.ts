import { Type } from '@sinclair/typebox'
import { defineResources, maxOf, minOf, ownedBy, owns } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { setups } from '../../../../test/support/databases.ts'
import { comparesDecimals } from '../reading/support/database-can.ts'

const resources = defineResources({
  order: {
    fields: {},
    relations: { lines: owns.many('line') },
    computed: {
      least: minOf('lines', 'price'),
      most: maxOf('lines', 'price'),
      first: minOf('lines', 'at'),
      last: maxOf('lines', 'at'),
    },
  },
  line: {
    fields: {
      price: Type.String({ format: 'decimal', stored: 'text' }),
      at: Type.String({ format: 'date-time', stored: 'text' }),
    },
    relations: { order: ownedBy('order') },
  },
})

describe.each(setups.filter(comparesDecimals))('of equal values that are written differently ($title)', (database) => {
  const service = useApp(database, resources)

  test('minOf has that of the first record, and maxOf that of the last, as sorts have them', async () => {
    const noon = { price: '2.0', at: '2024-01-01T12:00:00Z' }
    const alsoNoon = { price: '2.00', at: '2024-01-01T13:00:00+01:00' }
    const { id } = await service.add('/api/order', { lines: [noon, alsoNoon] })
    expect(await service.read(`/api/order/${id}`)).toMatchObject({
      least: '2.0',
      first: noon.at,
      most: '2.00',
      last: alsoNoon.at,
    })
    const { rows } = await service.read(`/api/order/${id}/line?sort=-price&limit=1`)
    expect(rows).toMatchObject([{ price: '2.00' }])
  })
})
