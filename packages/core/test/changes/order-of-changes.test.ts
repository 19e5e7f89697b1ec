import {
  type AnyKysely,
  createStore,
  defineResources,
  type LiveChange,
  type Model,
  readChanges,
} from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type OpenDatabase, setups } from '../../../../test/support/databases.ts'

const resources = defineResources({ memo: { id: 'uuid', fields: { text: Type.String() }, history: true } })
const model = resources as Model
const postgres = setups.filter(({ name }) => name === 'postgres')

/** A transaction that stays open until it is told how to end. */
interface OpenTransaction {
  commit(): Promise<void>
  rollback(): Promise<void>
}

for (const setup of postgres) {
  describe(`The order of changes (${setup.title})`, () => {
    let open: OpenDatabase
    let ends: AbortController
    beforeEach(async () => {
      open = await setup.open()
      await createTables(open.db, model)
      ends = new AbortController()
    })
    afterEach(async () => {
      ends.abort()
      await open.close()
    })
    const storeOf = (db: AnyKysely = open.db) => createStore({ db, resources })

    /** What is read as it comes, by its texts. */
    function follow(after: number): { readonly texts: string[]; until(count: number): Promise<string[]> } {
      const texts: string[] = []
      let heard = () => {}
      void (async () => {
        for await (const change of readChanges(open.db, model, { after, signal: ends.signal, poll: 20 })) {
          texts.push(textOf(change))
          heard()
        }
      })()
      const until = async (count: number) => {
        while (texts.length < count) await new Promise<void>((resolve) => (heard = resolve))
        return texts
      }
      return { texts, until }
    }

    /** Begins a transaction, does its work, and leaves it open. */
    async function begin(work: (db: AnyKysely) => Promise<unknown>): Promise<OpenTransaction> {
      const trx = await open.db.startTransaction().execute()
      await work(trx)
      return { commit: () => trx.commit().execute(), rollback: () => trx.rollback().execute() }
    }
    const writing = (text: string) => begin((db) => storeOf(db).memo.create({ text }))

    test('a write that has drawn its position first comes first, however late it commits', async () => {
      const slow = await writing('slow')
      await storeOf().memo.create({ text: 'quick' })
      const changes = follow(0)
      await looks(open.db, 5)
      expect(changes.texts).toEqual([])
      await slow.commit()
      expect(await changes.until(2)).toEqual(['slow', 'quick'])
    })

    test('nobody waits for a write that was undone, or for others that begin meanwhile', async () => {
      const lost = await writing('lost')
      await storeOf().memo.create({ text: 'quick' })
      const changes = follow(0)
      await looks(open.db, 5)
      const later = await writing('later')
      await lost.rollback()
      expect(await changes.until(1)).toEqual(['quick'])
      await later.commit()
      expect(await changes.until(2)).toEqual(['quick', 'later'])
    })

    test('nobody waits for transactions that write something else', async () => {
      await open.db.schema.createTable('other').addColumn('n', 'integer').execute()
      const lost = await writing('lost')
      const other = await begin((db) => db.insertInto('other').values({ n: 1 }).execute())
      await storeOf().memo.create({ text: 'quick' })
      const changes = follow(0)
      await lost.rollback()
      expect(await changes.until(1)).toEqual(['quick'])
      await other.commit()
    })

    test('who begins to follow waits for all that are writing', async () => {
      const slow = await writing('slow')
      const changes = readChanges(open.db, model, { signal: ends.signal, poll: 20 })
      const next = changes.next()
      let isHere = false
      void next.then(() => (isHere = true))
      await storeOf().memo.create({ text: 'quick' })
      await looks(open.db, 5)
      expect(isHere).toBe(false)
      await slow.commit()
      await looks(open.db, 5)
      await storeOf().memo.create({ text: 'later' })
      const { value } = await next
      // What was there when it began is no news, but nothing behind that is missed.
      expect(['slow', 'later']).toContain(textOf(value as LiveChange))
    })
  })
}

/** So many round trips, on which a reader has looked, too. */
async function looks(db: AnyKysely, count: number): Promise<void> {
  for (let look = 0; look < count; look += 1) {
    await db.selectFrom('crud_history').selectAll().execute()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function textOf({ changes: [change] }: LiveChange): string {
  return String((change as { readonly after?: { readonly text?: unknown } }).after?.text)
}
