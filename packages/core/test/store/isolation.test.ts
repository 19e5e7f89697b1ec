import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import type { IsolationLevel } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenDatabase, setups } from '../../../../test/support/databases.ts'
import { failCommits } from '../../../../test/support/fail-commits.ts'
import { createStore, defineResources, ownedBy, owns } from '../../src/index.ts'

const resources = defineResources({
  order: { fields: { number: Type.Integer() }, relations: { lines: owns.many('line') } },
  line: { fields: { text: Type.String() }, relations: { order: ownedBy('order') } },
})

const isolations = ['read committed', 'serializable'] as const
const others: readonly IsolationLevel[] = ['read uncommitted', 'read committed', 'repeatable read', 'serializable']

/** PostgreSQL takes the first for the second. */
const TAKEN = { 'read committed': ['read uncommitted', 'read committed'], serializable: ['serializable'] }

describe.each(
  setups
    .filter(({ name }) => name === 'postgres')
    .flatMap((setup) => isolations.map((isolation) => ({ setup, isolation }))),
)('a transaction of the application, where the service writes in $isolation ($setup.title)', ({ setup, isolation }) => {
  let database: OpenDatabase

  beforeAll(async () => {
    database = await setup.open({ engine: { isolation } })
    await createTables(database.db, resources)
  })
  afterAll(() => database.close())

  const inTransaction = <Result>(level: IsolationLevel, work: (store: ReturnType<typeof storeIn>) => Promise<Result>) =>
    database.db
      .transaction()
      .setIsolationLevel(level)
      .execute((trx) => work(storeIn(trx)))
  const storeIn = (trx: OpenDatabase['db']) => createStore({ db: database.db, resources }).in(trx)

  const writeIn = (level: IsolationLevel) =>
    inTransaction(level, async (store) => {
      const order = await store.order.create({ number: 1, lines: [{ text: 'a' }] })
      return await store.order.patch(order.id, { number: 2 })
    })

  test.each(others)('in %s takes writes if it is the same', async (level) => {
    if (TAKEN[isolation].includes(level)) expect(await writeIn(level)).toMatchObject({ number: 2 })
    else await expect(writeIn(level)).rejects.toThrow(`in '${level}', where a write could undo`)
  })

  test('is told what to begin', async () => {
    await expect(writeIn('repeatable read')).rejects.toThrow(`begin it in '${isolation}'`)
  })

  test('is read from in repeatable read', async () => {
    const count = await inTransaction('repeatable read', async (store) => (await store.order.list()).count)
    expect(count).toBeGreaterThan(0)
  })

  test('gets the error of the driver if others were in the way, as only the application can begin again', async () => {
    await failCommits(database.db, 'order', '40001', 'at once')
    const write = () => writeIn(isolation)
    await expect(write()).rejects.toMatchObject({ code: '40001' })
    expect(await write()).toMatchObject({ number: 2 })
  })
})
