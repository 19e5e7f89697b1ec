import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { jsonFilter } from './support/spellings.ts'

const resources = defineResources({ star: { fields: { mass: Type.Number() } } })

describeOnBoth('numbers with more digits than integers may have', (database) => {
  const service = useApp(database, resources)

  test.each([285156784268053150, -285156784268053150, 2 ** 53, 1e21, 1.7976931348623157e308, 5e-324])(
    'are found as they are shown: %d',
    async (mass) => {
      const star = await service.add('/api/star', { mass })
      expect(star.mass).toBe(mass)
      for (const filter of [{ mass }, { mass: { in: [mass] } }, { mass: { gte: mass, lte: mass } }])
        expect((await service.read(`/api/star?${jsonFilter(filter)}`)).rows, JSON.stringify(filter)).toEqual([star])
      expect((await service.read(`/api/star?${jsonFilter({ mass: { nin: [mass] } })}`)).rows).toEqual([])
    },
  )
})
