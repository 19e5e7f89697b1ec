import { type AnyKysely, createStore, type Model } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { anyWrite, resources } from './random-writes.ts'

const TABLES = ['tag', 'list', 'cover', 'part', 'item', 'node', 'bin', 'paper', 'label', 'list_tags', 'list_labels']
const WRITES = 12
const SEED = Number(process.env.UNDO_SEED ?? Math.floor(Math.random() * 1e9))
const RUNS = Number(process.env.UNDO_RUNS ?? 8)

async function tablesOf(db: AnyKysely) {
  const rows: Record<string, unknown> = {}
  for (const table of TABLES) {
    const found = await db.selectFrom(table).selectAll().execute()
    // A record that goes again is deleted as any other: its row may be kept.
    rows[table] = found.flatMap((row) => (row.deletedAt ? [] : [JSON.stringify(row)])).sort()
  }
  return rows
}

describeOnBoth('Writes that are undone in turn', (database) => {
  test(`leave the tables as they were, row by row (UNDO_SEED=${SEED})`, async () => {
    const counted = { undone: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(anyWrite, { minLength: WRITES, maxLength: WRITES }), async (writes) => {
        const open = await database.open()
        try {
          const { db } = open
          await createTables(db, resources as Model)
          const store = createStore({ db, resources })
          await store.tag.createMany([{ name: 'x' }, { name: 'y' }] as never)
          await store.list.create({
            title: 'first',
            parts: [{ name: 'p', items: [{ text: '1' }, { text: '2' }] }],
          } as never)
          const states = [await tablesOf(db)]
          const skipped = (await historyOf(db)).length
          for (const write of writes) {
            await write(store).catch((error) => {
              if (error.code === undefined || error.status >= 500) throw error
            })
            const state = await tablesOf(db)
            const kept = (await historyOf(db)).length - skipped
            if (kept === states.length) states.push(state)
            else expect(state).toEqual(states.at(-1))
          }
          const history = (await historyOf(db)).slice(skipped)
          for (const [index, { write, resource, record }] of history.toReversed().entries()) {
            await (store as never as Record<string, { undo(id: unknown, write: string): Promise<unknown> }>)[
              resource
            ]?.undo(record, write)
            expect(await tablesOf(db)).toEqual(states.at(-2 - index))
            counted.undone += 1
          }
        } finally {
          await open.close()
        }
      }),
      { seed: SEED, numRuns: RUNS },
    )
    expect(counted.undone).toBeGreaterThan(RUNS)
  })
})

/** The writes, with a record of the top that each has touched. */
async function historyOf(db: AnyKysely) {
  const rows = await db
    .selectFrom('crud_history as h')
    .innerJoin('crud_history_records as r', 'r.write', 'h.id')
    .where('r.resource', 'in', ['tag', 'list', 'bin', 'node', 'label'])
    .select(['h.position', 'h.id as write', 'r.resource', 'r.record'])
    .orderBy('h.position')
    .execute()
  const firsts = new Map(rows.toReversed().map((row) => [row.write, row]))
  return [...firsts.values()].toReversed().map(({ write, resource, record }) => {
    return { write: String(write), resource: String(resource), record: Number(record) }
  })
}
