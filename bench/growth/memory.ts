/** What the service holds after ever more requests of all kinds: `[requests] [sqlite|postgres]`. */
import type { DatabaseName } from '../src/databases/bench-database.ts'
import { startDatabaseServer } from '../src/databases/start-database-server.ts'
import { RECORDS } from '../src/records.ts'
import { withSides } from '../src/run-sides.ts'
import { askMixed } from './mixed-requests.ts'

const CONNECTIONS = 16
const SAMPLES = 10
const KINDS_OF_REQUESTS = 6

const requests = Number(process.argv[2] ?? 100_000)
const database: DatabaseName = process.argv[3] === 'postgres' ? 'postgres' : 'sqlite'
const lives = Math.ceil(requests / SAMPLES / CONNECTIONS / KINDS_OF_REQUESTS)

const databases = await startDatabaseServer(database)
try {
  await withSides(databases, ['ours'], async ([side]) => {
    if (side === undefined) return
    await side.database.reset(RECORDS)
    console.log('| requests | heap in use, MiB | resident, MiB |\n| --: | --: | --: |')
    let asked = 0
    for (let sample = 0; sample <= SAMPLES; sample++) {
      if (sample > 0) asked += await askMixed(side.server.port, CONNECTIONS, lives)
      const { heapUsed, rss } = await side.server.memory()
      console.log(`| ${asked.toLocaleString('en')} | ${mebibytes(heapUsed)} | ${mebibytes(rss)} |`)
    }
  })
} finally {
  await databases.stop()
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1)
}
