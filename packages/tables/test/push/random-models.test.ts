import { checkTables, createTables, pushTables } from '@fastify-crud/tables'
import { expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { isLong } from '../../../../test/support/is-long.ts'
import { seed } from '../../../../test/support/seed.ts'
import { takeSnapshot } from '../../../../test/support/tables.ts'
import { schemaObjects } from '../schema-objects.ts'
import { type Choices, choicesFrom, type RandomModel, randomModel } from './random-models.ts'
import { expectKept, fillTables, rowsOf } from './random-rows.ts'

/** On PostgreSQL, tables take their time. */
const RUNS = isLong ? 300 : 25
const RUNS_ON_POSTGRES = isLong ? 100 : 5

describeOnBoth('pushTables between random models', (setup) => {
  let open: OpenDatabase
  const database = () => open

  const runs = setup.name === 'postgres' ? RUNS_ON_POSTGRES : RUNS

  test(`succeeds with all values kept, or changes nothing, for ${runs} pairs`, { timeout: 600_000 }, async () => {
    // The message of a failure has the seed. To repeat it, give it as FC_SEED.
    for (let drawn = seed; drawn < seed + runs; drawn += 1) {
      open = await setup.open({ kept: true })
      const choices = choicesFrom(drawn)
      const before = randomModel(choices)
      const after = randomModel(choices)
      const about = `FC_SEED=${drawn}\n${before.shown}\n${after.shown}`
      try {
        await createTables(database().db, before.model)
        await fillTables(database().db, before, choices, about)
        await pushTo(after, choices, about)
        await pushTo(before, choices, `${about}\nback`)
      } finally {
        await open.close()
      }
    }
  })

  async function pushTo(to: RandomModel, choices: Choices, about: string): Promise<void> {
    const { db, name } = database()
    const rows = await rowsOf(database())
    const all = [await takeSnapshot(name, db), await schemaObjects(name, db)]
    try {
      await pushTables(db, to.model)
    } catch (error) {
      expect((error as Error).message, about).toMatch(/cannot be changed safely:\n- /)
      expect([await takeSnapshot(name, db), await schemaObjects(name, db)], about).toEqual(all)
      return
    }
    const findings = await checkTables(db, to.model)
    // To SQLite, a date, a moment and a text are of one type: then only the rows say that they do not fit, as they do at the start.
    const errors = findings.filter(({ severity, kind }) => severity === 'error' && kind !== 'value')
    expect(errors, about).toEqual([])
    expectKept(rows, await rowsOf(database()), to.model, about)
    await fillTables(db, to, choices, about)
  }
})
