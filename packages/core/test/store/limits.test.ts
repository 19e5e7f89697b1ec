import { createStore, defineResources, type Store } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({ note: { fields: { lines: Type.Array(Type.Integer()) } } })

describeOnBoth('The limits of a store', (database) => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
  })
  afterAll(() => open.close())

  const storeWith = (limits: object): Store<typeof resources> => createStore({ db: open.db, resources, limits })

  test.each(['maxItems', 'maxDepth', 'maxAnswer'])('are the default where %s is undefined', async (name) => {
    const { note } = storeWith({ [name]: undefined })
    await note.create({ lines: new Array(10_000).fill(1) })
    await expect(note.create({ lines: new Array(10_001).fill(1) })).rejects.toThrow(
      'has more than 10000 array elements',
    )
  })

  test.each(['maxItems', 'maxDepth', 'maxAnswer'])('are positive integers: %s', (name) => {
    for (const value of [-1, 0, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null])
      expect(() => storeWith({ [name]: value }), String(value)).toThrow(`limits.${name}: must be `)
  })
})
