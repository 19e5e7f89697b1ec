import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import type { DatabaseServer } from './databases/bench-database.ts'
import type { BenchAnswer, BenchRequest } from './load/request.ts'
import { type WorkName, works } from './load/work.ts'
import { workloads } from './load/workloads.ts'
import { RECORDS } from './records.ts'
import { AUTHORIZATION } from './servers/access.ts'
import { buildOf, type SideName } from './sides.ts'

/** How often a service waits for PostgreSQL to answer one request of each work, `begin` and `commit` included. */
export type RoundTrips = Readonly<Record<WorkName, number>>

/** Counts at the driver, so it does not matter who sends a statement, and how. */
export async function roundTripsOf(
  databases: DatabaseServer,
  sides: readonly SideName[],
): Promise<Partial<Record<SideName, RoundTrips>>> {
  const trips: Partial<Record<SideName, RoundTrips>> = {}
  for (const side of sides) trips[side] = await countOf(databases, side)
  return trips
}

async function countOf(databases: DatabaseServer, side: SideName): Promise<RoundTrips> {
  const database = await databases.open(`${side}_counted`)
  const build = await buildOf('postgres', side)
  const app = await build(database.location)
  const counter = countRoundTrips()
  const counts: Partial<Record<WorkName, number>> = {}
  try {
    await app.ready()
    const records = RECORDS + works.length
    for (const { name } of works) {
      const { status, requests } = workloads[name]
      await database.reset(records)
      const source = requests({ connection: 0, connections: 1, records })
      // The first request of a kind may do what later ones need not.
      for (let turn = 0; turn < 2; turn++) {
        counter.reset()
        const answer = await inject(app, source.next())
        counts[name] = counter.count()
        if (answer.status !== status) throw new Error(`${name}: ${answer.status} ${answer.body}`)
        source.answered?.(answer)
      }
    }
    return counts as RoundTrips
  } finally {
    counter.stop()
    await app.close()
    await database.remove()
  }
}

async function inject(app: FastifyInstance, request: BenchRequest | undefined): Promise<BenchAnswer> {
  if (request === undefined) throw new Error('nothing to ask for')
  const { method, path, body } = request
  const headers = { authorization: AUTHORIZATION }
  const answer = await app.inject({
    method,
    url: path,
    headers,
    ...(body !== undefined && { payload: body as object }),
  })
  return { status: answer.statusCode, body: answer.payload }
}

/** A statement that is sent while another one of its connection is under way does not wait for a trip of its own. */
function countRoundTrips() {
  const { query } = pg.Client.prototype
  const underWay = new WeakMap<pg.Client, number>()
  let count = 0
  pg.Client.prototype.query = async function (this: pg.Client, ...args: unknown[]) {
    const before = underWay.get(this) ?? 0
    if (before === 0) count += 1
    underWay.set(this, before + 1)
    try {
      return await Reflect.apply(query, this, args)
    } finally {
      underWay.set(this, (underWay.get(this) ?? 1) - 1)
    }
  } as typeof query
  return {
    count: () => count,
    reset() {
      count = 0
    },
    stop() {
      pg.Client.prototype.query = query
    },
  }
}
