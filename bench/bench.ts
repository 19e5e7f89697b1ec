/** This library beside services by hand: prints a table for each database. */
import { createTables } from 'fastify-crud'
import { Kysely } from 'kysely'
import { checkAnswers } from './src/check-answers.ts'
import { type Contender, type Running, start } from './src/contender.ts'
import { DATABASES, type Databases, dialectOf, startDatabases } from './src/databases.ts'
import { readOptions } from './src/options.ts'
import { resources } from './src/resources.ts'
import { type Run, runRounds } from './src/run-rounds.ts'
import { introductionOf, toTable } from './src/to-table.ts'
import { works } from './src/works.ts'

const SIDES = {
  ours: 'fastify-crud',
  plain: 'fastify-crud, plain Kysely',
  raw: 'driver by hand',
  kysely: 'Kysely by hand',
}

const options = readOptions(SIDES)
console.log(introductionOf(options))
for (const database of options.databases) {
  const contenders = options.sides.map((side) => ({
    title: SIDES[side],
    module: new URL(`./sides/${side === 'raw' ? `raw-${database}` : side}.ts`, import.meta.url),
    works,
  }))
  const databases = await startDatabases(database)
  const runs: Run[] = []
  try {
    // Of two processes of the very same code, one may be a tenth faster for as long as it lives.
    for (let turn = 0; turn < options.starts; turn++) {
      runs.push(...(await startAndRun(contenders, databases, database === 'sqlite')))
    }
  } finally {
    await databases.stop()
  }
  console.log(`\n${toTable(DATABASES[database], runs, contenders)}`)
}

async function startAndRun(contenders: readonly Contender[], databases: Databases, isAwake: boolean): Promise<Run[]> {
  const running: Running[] = []
  try {
    for (const contender of contenders) {
      const location = await databases.create()
      const db = new Kysely({ dialect: dialectOf(location) })
      await createTables(db, resources)
      await db.destroy()
      running.push(await start(contender, location))
    }
    await checkAnswers(running)
    return await runRounds(running, options, isAwake)
  } finally {
    for (const one of running) await one.stop()
  }
}
