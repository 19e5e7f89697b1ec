import { Type } from '@sinclair/typebox'
import type { IsolationLevel } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenDatabase, setups } from '../../../../test/support/databases.ts'
import { createStore, createTables, defineResources, ownedBy, owns } from '../../src/index.ts'

const resources = defineResources({
  order: { fields: { number: Type.Integer() }, relations: { lines: owns.many('line') } },
  line: { fields: { text: Type.String() }, relations: { order: ownedBy('order') } },
})

describe.each(setups.filter(({ name }) => name === 'postgres'))(
  'A transaction of the application ($title)',
  (setup) => {
    let database: OpenDatabase

    beforeAll(async () => {
      database = await setup.open()
      await createTables(database.db, resources)
    })
    afterAll(() => database.close())

    const writeIn = (isolation: IsolationLevel) => {
      const { db } = database
      return db
        .transaction()
        .setIsolationLevel(isolation)
        .execute(async (trx) => {
          const store = createStore({ db, resources }).in(trx)
          const order = await store.order.create({ number: 1, lines: [{ text: 'a' }] })
          return await store.order.patch(order.id, { number: 2 })
        })
    }

    test('takes writes in read committed and in serializable', async () => {
      expect(await writeIn('read committed')).toMatchObject({ number: 2 })
      expect(await writeIn('serializable')).toMatchObject({ number: 2 })
    })

    test('takes none in repeatable read, where they would be planned from what was there before', async () => {
      await expect(writeIn('repeatable read')).rejects.toThrow(
        /in 'repeatable read'.*begin it in 'read committed' or 'serializable'/,
      )
      await expect(writeIn('snapshot')).rejects.toThrow()
    })

    test('is read from in repeatable read', async () => {
      const { db } = database
      const count = await db
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute(async (trx) => (await createStore({ db, resources }).in(trx).order.list()).count)
      expect(count).toBeGreaterThan(0)
    })
  },
)
