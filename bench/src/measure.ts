import { createTables } from 'fastify-crud'
import { Kysely } from 'kysely'
import { type Contender, type Running, start } from './contender.ts'
import { type DatabaseName, dialectOf, startDatabases } from './databases.ts'
import type { Options } from './options.ts'
import { resources } from './resources.ts'
import { type Run, runRounds } from './run-rounds.ts'

/** Starts all services, each on a new database, has them checked, and runs them in turn; as often as `starts` says. */
export async function measure(
  contenders: readonly Contender[],
  database: DatabaseName,
  options: Options,
  check: (running: readonly Running[]) => Promise<void>,
  runAll: (running: readonly Running[], options: Options) => Promise<Run[]> = runRounds,
): Promise<Run[]> {
  await using databases = await startDatabases(database)
  const runs: Run[] = []
  // Of two processes of the very same code, one may be a tenth faster for as long as it lives.
  for (let turn = 0; turn < options.starts; turn++) {
    const running: Running[] = []
    try {
      for (const contender of contenders) {
        const location = await databases.create()
        await (contender.createTables ?? createTablesOfModel)(location)
        running.push(await start(contender, location))
      }
      await check(running)
      runs.push(...(await runAll(running, options)))
    } finally {
      for (const one of running) await one.stop()
    }
  }
  return runs
}

async function createTablesOfModel(location: string): Promise<void> {
  await using db = new Kysely({ dialect: dialectOf(location) })
  await createTables(db, resources)
}
