/** What a request costs in the library itself: the time of its own code, and what is allocated. Run it before and after a feature. */
import type { HeapProfiler } from 'node:inspector'
import { Session } from 'node:inspector/promises'
import Fastify from 'fastify'
import { createTables, crudPlugin } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { openSqlite } from 'fastify-crud/sqlite'
import { type Connection, connect } from './src/connect.ts'
import { DATABASES, isPostgres, seed, startDatabases } from './src/databases.ts'
import { readOptions } from './src/options.ts'
import { resources } from './src/resources.ts'
import { quantile } from './src/to-table.ts'
import { ask, WORKS, type Work, works } from './src/works.ts'

/** Fastify alone, which all other figures are compared with. */
const hello: Work = () => ask('GET', '/hello')

/** Code of the library, whoever called it. */
const OWN = /\/packages\/(?:core|fastify-crud)\//

interface Cost {
  /** Of the library's own code, in µs of a request. */
  readonly own: number
  /** Of the whole process, the client in it too, in µs of a request. */
  readonly cpu: number
}

const options = readOptions({})
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.setSamplingInterval', { interval: 100 })

for (const name of options.databases) {
  await using databases = await startDatabases(name)
  const location = await databases.create()
  await using db = isPostgres(location) ? openPostgres(location, { resources }) : openSqlite(location, { resources })
  await createTables(db, resources)
  await using app = Fastify()
  await app.register(crudPlugin, { db, resources })
  app.get('/hello', async (_request, reply) => reply.type('application/json; charset=utf-8').send('{"id":1}'))
  const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  const clients = await Promise.all(Array.from({ length: options.connections }, () => connect(port)))
  const bare = await costOf(hello, location, clients)
  console.log(`\n| ${DATABASES[name]} | own code, µs | hello worlds | kB more than hello world |`)
  console.log('| --- | --: | --: | --: |')
  for (const work of options.works) {
    const { own, kilobytes } = await costOf(works[work], location, clients)
    const ratio = (own / bare.cpu).toFixed(2)
    console.log(`| ${WORKS[work]} | ${own.toFixed(1)} | ${ratio} | ${(kilobytes - bare.kilobytes).toFixed(1)} |`)
  }
  for (const client of clients) client.close()
}

/** Medians of the rounds, each of which starts from the same records. */
async function costOf(work: Work, location: string, clients: readonly Connection[]) {
  const run = async <Result>(measured: (work: () => Promise<void>) => Promise<Result>) => {
    await seed(location, options.records)
    return await measured(() => askAll(work, clients))
  }
  for (let round = 0; round < options.warmUp; round++) await run((requests) => requests())
  const costs: Cost[] = []
  for (let round = 0; round < options.rounds; round++) costs.push(await run(timeOf))
  const median = (of: keyof Cost) =>
    quantile(
      costs.map((cost) => cost[of]),
      0.5,
    )
  return { own: median('own'), cpu: median('cpu'), kilobytes: await run(kilobytesOf) }
}

async function askAll(work: Work, clients: readonly Connection[]): Promise<void> {
  let id = 0
  const askInTurn = async (client: Connection) => {
    while (id < options.records) {
      id += 1
      const { status, body } = await client.ask(work(id))
      if (status >= 300) throw new Error(`answered ${status}: ${body}`)
    }
  }
  await Promise.all(clients.map(askInTurn))
}

/** Of the time that the thread was busy, the part that samples found in the library's code. Other processes take none of it. */
async function timeOf(requests: () => Promise<void>): Promise<Cost> {
  const begin = process.threadCpuUsage()
  await session.post('Profiler.start')
  await requests()
  const { profile } = await session.post('Profiler.stop')
  const { user, system } = process.threadCpuUsage(begin)
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
  const busy = (profile.samples ?? []).map((id) => frames.get(id)).filter((frame) => frame?.functionName !== '(idle)')
  const cpu = (user + system) / options.records
  return { cpu, own: (cpu * busy.filter((frame) => OWN.test(frame?.url ?? '')).length) / busy.length }
}

/** What was allocated for a request, whether it is garbage by now or not. */
async function kilobytesOf(requests: () => Promise<void>): Promise<number> {
  const garbage = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true }
  await session.post('HeapProfiler.startSampling', { samplingInterval: 4096, ...garbage })
  await requests()
  const { profile } = await session.post('HeapProfiler.stopSampling')
  return bytesIn(profile.head) / 1024 / options.records
}

function bytesIn({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number {
  return children.reduce((sum, child) => sum + bytesIn(child), selfSize)
}
