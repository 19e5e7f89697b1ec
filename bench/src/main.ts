import { writeFile } from 'node:fs/promises'
import { checkAnswers } from './check/check-answers.ts'
import { startDatabaseServer } from './databases/start-database-server.ts'
import { startLoad } from './load/start-load.ts'
import { readOptions } from './options.ts'
import { type DatabaseResult, toDatabaseTable } from './report/to-database-table.ts'
import { circumstancesOf, toResults } from './report/to-results.ts'
import { toIntroduction } from './report/to-table.ts'
import { roundTripsOf } from './round-trips.ts'
import { joinStarts, type Runs, runRounds } from './run-rounds.ts'
import { withSides } from './run-sides.ts'

const options = readOptions()
const circumstances = circumstancesOf(options)
const results: DatabaseResult[] = []
for (const name of options.databases) {
  const load = await startLoad(name === 'sqlite')
  try {
    const databases = await startDatabaseServer(name)
    try {
      const roundTrips = name === 'postgres' ? await roundTripsOf(databases, options.sides) : undefined
      const starts: Runs[][] = []
      while (starts.length < options.starts) {
        const runs = await withSides(databases, options.sides, async (sides) => {
          if (starts.length === 0) await checkAnswers(sides)
          return runRounds(`${name}, start ${starts.length + 1}`, sides, load, options)
        })
        starts.push(runs)
      }
      results.push({ database: name, works: toResults(joinStarts(starts)), ...(roundTrips && { roundTrips }) })
    } finally {
      await databases.stop()
    }
  } finally {
    await load.stop()
  }
}
await writeFile(options.out, `${JSON.stringify({ ...circumstances, results }, undefined, 2)}\n`)
const tables = results.map((result) => toDatabaseTable(result, options.sides))
console.log([toIntroduction(circumstances), ...tables].join('\n\n'))
