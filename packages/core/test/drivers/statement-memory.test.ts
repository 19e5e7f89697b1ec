import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createStore } from '@fastify-crud/core'
import { openSqlite } from '@fastify-crud/core/sqlite'
import { createTables } from '@fastify-crud/tables'
import { describe, expect, onTestFinished, test } from 'vitest'
import { askOften, resources, shapes } from './asking-shapes.ts'

/** Of a statement of 900 letters SQLite takes more than this. */
const BYTES_OF_ONE = 8_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Statements of other tests are freed in a later turn than that in which they are collected. */
async function freeOthers(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    collectGarbage()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe.each([{ direct: true }, { direct: false }])('The memory of statements (direct: $direct)', ({ direct }) => {
  test('counts for V8, so that it collects those which are not kept', async () => {
    const db = openSqlite(':memory:', { direct })
    onTestFinished(() => db.destroy())
    await createTables(db, resources)
    await createStore({ db, resources }).note.list()

    // What other tests leave may be collected meanwhile, so that one round may seem to take less.
    const taken: number[] = []
    for (const first of [0, 100, 200]) {
      await freeOthers()
      const before = process.memoryUsage().external
      await askOften(db, shapes(first, first + 100))
      taken.push(process.memoryUsage().external - before)
    }
    expect(Math.max(...taken)).toBeGreaterThan(100 * BYTES_OF_ONE)
  })

  test('is freed in a loop that never leaves the turn it began in', async () => {
    const db = openSqlite(':memory:', { direct })
    onTestFinished(() => db.destroy())
    await createTables(db, resources)
    let turns = 0
    const count = () => {
      turns += 1
      counter = setImmediate(count)
    }
    let counter = setImmediate(count)
    onTestFinished(() => clearImmediate(counter))
    await createStore({ db, resources }).note.list()

    const before = turns
    await askOften(db, shapes(300, 700))
    expect(turns).toBeGreaterThan(before)
  })
})
