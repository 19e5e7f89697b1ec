/**
 * How long an application with 1,000 resources takes to start, and what it holds then: `[resources] [starts]`. In plain
 * JavaScript and on the built packages, as it is when it runs; in turn with one that has the same paths and nothing else.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { createTables, crudPlugin, type Model } from 'fastify-crud'
import { Kysely, SqliteDialect } from 'kysely'
import { cpus } from '../src/cpus.ts'
import { openSqlite } from '../src/databases/open-sqlite.ts'
import { type Spread, spreadOf } from '../src/report/statistics.ts'
import { startWorker } from '../src/worker.ts'
import { modelText, writeGenerated } from './generate-model.ts'
import type { Started } from './start-app.ts'

const resourceCount = Number(process.argv[2] ?? 1_000)
const starts = Number(process.argv[3] ?? 15)
const folder = await mkdtemp(join(tmpdir(), 'fastify-crud-start-'))
try {
  const model = await writeGenerated('model.js', modelText(resourceCount))
  const { resources }: { resources: Model } = await import(model.href)
  const database = join(folder, 'start.sqlite')
  const pathList = join(folder, 'paths.json')
  await writeFile(pathList, JSON.stringify(await prepare(database, resources)))

  const app = { script: await withoutTypes('start-app'), args: [model.href, database], started: [] as Started[] }
  const bare = { script: await withoutTypes('start-bare'), args: [pathList], started: [] as Started[] }
  for (let turn = 0; turn < starts; turn++) {
    for (const { script, args, started } of [app, bare]) {
      const { worker, first } = await startWorker<object, Started>(script, args, cpus?.server)
      started.push(first)
      await worker.stop()
    }
  }
  console.log(`${resourceCount} resources, ${starts} starts in turn, median (middle half)`)
  const time = ({ milliseconds }: Started) => milliseconds
  const rss = (one: Started) => one.rss / 2 ** 20
  console.log(
    `until it listens: ${show(app.started.map(time))} ms; the paths alone: ${show(bare.started.map(time))} ms`,
  )
  console.log(`resident memory: ${show(app.started.map(rss))} MiB; the paths alone: ${show(bare.started.map(rss))} MiB`)
  const ratios = app.started.map((one, turn) => time(one) / time(bare.started[turn] as Started))
  console.log(`times as long: ${show(ratios, 2)}`)
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Makes the tables; returns the paths of the service. */
async function prepare(file: string, resources: Model): Promise<readonly string[]> {
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: openSqlite(file) }) })
  await createTables(db, resources)
  const app = Fastify()
  const paths = new Set<string>()
  app.addHook('onRoute', ({ url }) => void paths.add(url))
  await app.register(crudPlugin, { db, resources, authorize: () => true })
  await app.close()
  await db.destroy()
  return [...paths]
}

async function withoutTypes(name: string): Promise<URL> {
  const source = await readFile(new URL(`./${name}.ts`, import.meta.url), 'utf8')
  return writeGenerated(`${name}.js`, stripTypeScriptTypes(source))
}

function show(values: readonly number[], digits = 0): string {
  const { median, lower, upper }: Spread = spreadOf(values)
  return `${median.toFixed(digits)} (${lower.toFixed(digits)}–${upper.toFixed(digits)})`
}
