/** How long an application with 1,000 resources takes to start, and what it holds then: `[resources] [starts]`. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTables, type Model } from 'fastify-crud'
import { Kysely, SqliteDialect } from 'kysely'
import { cpus } from '../src/cpus.ts'
import { openSqlite } from '../src/databases/open-sqlite.ts'
import { type Spread, spreadOf } from '../src/report/statistics.ts'
import { startWorker } from '../src/worker.ts'
import { modelText, writeGenerated } from './generate-model.ts'
import type { Started } from './start-app.ts'

const resourceCount = Number(process.argv[2] ?? 1_000)
const starts = Number(process.argv[3] ?? 5)
const folder = await mkdtemp(join(tmpdir(), 'fastify-crud-start-'))
try {
  const file = join(folder, 'start.sqlite')
  // Plain JavaScript, as an application is when it runs.
  const model = await writeGenerated('model.js', modelText(resourceCount))
  const { resources }: { resources: Model } = await import(model.href)
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: openSqlite(file) }) })
  await createTables(db, resources)
  await db.destroy()

  const started: Started[] = []
  for (let turn = 0; turn < starts; turn++) {
    const script = new URL('./start-app.ts', import.meta.url)
    const { worker, first } = await startWorker<object, Started>(script, [model.href, file], cpus?.server)
    started.push(first)
    await worker.stop()
  }
  const time = spreadOf(started.map(({ milliseconds }) => milliseconds))
  const rss = spreadOf(started.map((one) => one.rss / 2 ** 20))
  console.log(`${resourceCount} resources, ${starts} starts, median (middle half)`)
  console.log(`until it listens: ${showSpread(time)} ms`)
  console.log(`resident memory: ${showSpread(rss)} MiB`)
} finally {
  await rm(folder, { recursive: true, force: true })
}

function showSpread({ median, lower, upper }: Spread): string {
  return `${median.toFixed(0)} (${lower.toFixed(0)}–${upper.toFixed(0)})`
}
