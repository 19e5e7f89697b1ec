/** What more records and more resources cost. Without HTTP. */
import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import { createTables, crudPlugin, defineResources, knows, openApiOf } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { isPostgres, seed, startDatabases } from './src/databases.ts'
import { keysOf } from './src/options.ts'
import { resources } from './src/resources.ts'
import { WORKS, works } from './src/works.ts'

const REQUESTS = 50
const RESOURCES = 1_000
const STARTS = 5

const authorize = () => true

console.log('| | records | statements | ms |\n| --- | --: | --: | --: |')
for (const name of ['sqlite', 'postgres'] as const) {
  const databases = await startDatabases(name)
  for (const records of [1_000, 50_000]) await measureWorks(await databases.create(), records)
  await databases.stop()
}
await measureStart()

async function measureWorks(location: string, records: number): Promise<void> {
  let statements = 0
  const options = { resources, log: () => void statements++ }
  const db = isPostgres(location) ? openPostgres(location, options) : openSqlite(location, options)
  await createTables(db, resources)
  const app = Fastify()
  await app.register(crudPlugin, { db, resources, authorize })
  for (const work of keysOf(WORKS)) {
    await seed(location, records)
    const times: number[] = []
    for (let id = 1; id <= REQUESTS; id++) {
      const { method, path: url, body } = works[work](id)
      statements = 0
      const begin = performance.now()
      const { statusCode, payload } = await app.inject({ method, url, ...(body && { payload: body }) })
      times.push(performance.now() - begin)
      if (statusCode >= 300) throw new Error(`${work} answered ${statusCode}: ${payload}`)
    }
    const title = `${isPostgres(location) ? 'PostgreSQL' : 'SQLite'}, ${WORKS[work]}`
    console.log(`| ${title} | ${records} | ${statements} | ${median(times).toFixed(2)} |`)
  }
  await app.close()
  await db.destroy()
}

/** In turn with an application that has the same paths and nothing behind them. */
async function measureStart(): Promise<void> {
  const model = manyResources()
  const db = openSqlite(':memory:')
  await createTables(db, model)
  const paths = Object.keys(openApiOf(model).paths).map((path) => path.replaceAll(/\{(\w+)\}/g, ':$1'))
  const times: number[] = []
  const bareTimes: number[] = []
  for (let turn = 0; turn < STARTS; turn++) {
    times.push(await timeToStart((app) => app.register(crudPlugin, { db, resources: manyResources(), authorize })))
    bareTimes.push(
      await timeToStart((app) => {
        for (const path of paths) app.all(path, () => null)
      }),
    )
  }
  await db.destroy()
  const figures = `${median(times).toFixed()} ms, their paths alone in ${median(bareTimes).toFixed()} ms`
  const megabytes = JSON.stringify(openApiOf(model)).length / 1e6
  console.log(`\n${RESOURCES} resources start in ${figures}; their OpenAPI document has ${megabytes.toFixed(1)} MB`)
}

async function timeToStart(fill: (app: FastifyInstance) => unknown): Promise<number> {
  const begin = performance.now()
  const app = Fastify()
  await fill(app)
  await app.ready()
  const time = performance.now() - begin
  await app.close()
  return time
}

function manyResources() {
  const fields = { name: Type.String(), quantity: Type.Integer(), note: Type.Optional(Type.String()) }
  const keys = Array.from({ length: RESOURCES }, (_, number) => `r${number}`)
  const entries = keys.map((key, index) => [key, { fields, relations: { next: knows.one(keys[index + 1] ?? key) } }])
  return defineResources(Object.fromEntries(entries))
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
