/** What more records and more resources cost. Without HTTP. */
import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import { createTables, crudPlugin, defineResources, knows, openApiOf } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { DATABASES, isPostgres, seed, startDatabases } from './src/databases.ts'
import { resources } from './src/resources.ts'
import { quantile } from './src/to-table.ts'
import { keysOf, WORKS, works } from './src/works.ts'

const REQUESTS = 50
const RESOURCES = 1_000
const STARTS = 5

const authorize = () => true
const median = (values: readonly number[]) => quantile(values, 0.5)

console.log('| | records | statements | ms |\n| --- | --: | --: | --: |')
for (const name of keysOf(DATABASES)) {
  await using databases = await startDatabases(name)
  for (const records of [1_000, 50_000]) await measureWorks(DATABASES[name], await databases.create(), records)
}
await measureStart()

async function measureWorks(database: string, location: string, records: number): Promise<void> {
  let statements = 0
  const options = { resources, log: () => void statements++ }
  await using db = isPostgres(location) ? openPostgres(location, options) : openSqlite(location, options)
  await createTables(db, resources)
  await using app = Fastify()
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
    console.log(`| ${database}, ${WORKS[work]} | ${records} | ${statements} | ${median(times).toFixed(2)} |`)
  }
}

/** In turn with an application that has the same paths and nothing behind them. */
async function measureStart(): Promise<void> {
  const model = manyResources()
  await using db = openSqlite(':memory:')
  await createTables(db, model)
  const paths = Object.keys(openApiOf(model).paths).map((path) => path.replaceAll(/\{(\w+)\}/g, ':$1'))
  const addCrud = (app: FastifyInstance) => app.register(crudPlugin, { db, resources: manyResources(), authorize })
  const addPaths = (app: FastifyInstance) => {
    for (const path of paths) app.all(path, () => null)
  }
  const times: number[] = []
  const bareTimes: number[] = []
  for (let turn = 0; turn < STARTS; turn++) {
    times.push(await timeToStart(addCrud))
    bareTimes.push(await timeToStart(addPaths))
  }
  const figures = `${median(times).toFixed()} ms, their paths alone in ${median(bareTimes).toFixed()} ms`
  const megabytes = JSON.stringify(openApiOf(model)).length / 1e6
  console.log(`\n${RESOURCES} resources start in ${figures}; their OpenAPI document has ${megabytes.toFixed(1)} MB`)
}

async function timeToStart(fill: (app: FastifyInstance) => unknown): Promise<number> {
  const begin = performance.now()
  await using app = Fastify()
  await fill(app)
  await app.ready()
  return performance.now() - begin
}

function manyResources() {
  const fields = { name: Type.String(), quantity: Type.Integer(), note: Type.Optional(Type.String()) }
  const keys = Array.from({ length: RESOURCES }, (_, number) => `r${number}`)
  const entries = keys.map((key, index) => [key, { fields, relations: { next: knows.one(keys[index + 1] ?? key) } }])
  return defineResources(Object.fromEntries(entries))
}
