/** `writer.ts <sqlite | postgres> <location> <seed>`: writes, by itself and in transactions that take their time or are undone, until it is killed. */
import { setTimeout as pause } from 'node:timers/promises'
import { createStore } from '@fastify-crud/core'
import { openPostgres } from '@fastify-crud/core/postgres'
import { openSqlite } from '@fastify-crud/core/sqlite'
import { memos } from './memos.ts'
import { randomFrom } from './random-from.ts'

const [name, location = '', seed] = process.argv.slice(2)
const db = name === 'sqlite' ? openSqlite(location) : openPostgres(location)
const random = randomFrom(Number(seed))
const store = createStore({ db, resources: memos })

// Who has started it may end first.
process.on('disconnect', () => process.exit(1))

/** Several writes in one transaction, which others pass by. */
async function slowly(isUndone: boolean): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await store.in(trx).memo.create({ text: 'slow', lines: [{ text: 'one' }] })
    if (name === 'postgres') await pause(random(30))
    await store.in(trx).memo.create({ text: 'slow, too', lines: [] })
    if (isUndone) throw new Error('undone')
  })
}

for (;;) {
  const dice = random(10)
  try {
    if (dice < 2) await slowly(dice === 0)
    else {
      const { id } = await store.memo.create({ text: 'new', lines: [{ text: 'one' }] })
      await store.memo.patch(id, { text: `changed ${random(1_000)}`, lines: [{ text: 'two' }] })
      if (dice < 5) await store.memo.delete(id)
    }
  } catch {
    // Undone, or the database was busy: what counts is what the history has.
  }
  process.send?.('written')
  await pause(random(10))
}
