import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createStore } from '@fastify-crud/core'
import { openSqlite } from '@fastify-crud/core/sqlite'
import { createTables } from '@fastify-crud/tables'
import SqliteDriver from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isLong } from '../../../../test/support/is-long.ts'
import { MOST_CLIENT_SHAPES } from '../../src/session/drivers/keep-frequent.ts'
import { ALL_SHAPES, askOften, OFTEN, resources, shapes } from './asking-shapes.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** A database with the tables, and what is prepared on it. */
async function open(direct: boolean) {
  const database = new SqliteDriver(':memory:')
  const texts: string[] = []
  const statements: WeakRef<object>[] = []
  const prepare = database.prepare.bind(database)
  Object.assign(database, {
    prepare(text: string) {
      const statement = prepare(text)
      texts.push(text)
      statements.push(new WeakRef(statement))
      return statement
    },
  })
  const db = openSqlite(database, { direct })
  onTestFinished(() => db.destroy())
  await createTables(db, resources)
  return {
    db,
    store: createStore({ db, resources }),
    async preparedIn(work: () => Promise<unknown>): Promise<readonly string[]> {
      texts.length = 0
      await work()
      return [...texts]
    },
    async countStatements(): Promise<number> {
      // A statement stays for as long as the turn in which it was looked at.
      await turn()
      collectGarbage()
      return statements.filter((statement) => statement.deref() !== undefined).length
    },
  }
}

describe.each(isLong ? [{ direct: true }, { direct: false }] : [{ direct: true }])(
  'However many shapes a client sends (direct: $direct)',
  ({ direct }) => {
    test('the last of them are kept, and all other statements', async () => {
      const { db, store, preparedIn, countStatements } = await open(direct)
      const { id } = await store.tag.create({ word: 'w' })
      const plain = async () => {
        await store.tag.find(id)
        await store.note.list()
      }
      for (let n = 0; n < OFTEN; n++) await plain()
      const before = await countStatements()

      await askOften(db, shapes(0, ALL_SHAPES))
      expect(await countStatements()).toBeLessThanOrEqual(before + MOST_CLIENT_SHAPES)
      expect(await preparedIn(plain)).toEqual([])
      const last = shapes(ALL_SHAPES - MOST_CLIENT_SHAPES, ALL_SHAPES)
      expect(await preparedIn(() => askOften(db, last))).toEqual([])
      expect(await preparedIn(() => askOften(db, [0]))).toHaveLength(OFTEN)
      expect(await preparedIn(() => askOften(db, [0]))).toEqual([])

      // What nobody has asked for until then has its place, too.
      for (let n = 0; n < OFTEN; n++) await store.tag.list()
      expect(await preparedIn(() => store.tag.list())).toEqual([])
    })
  },
)
