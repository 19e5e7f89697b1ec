import type { Contender } from './contender.ts'
import type { BenchDatabase, DatabaseServer } from './databases/bench-database.ts'
import { workloads } from './load/workloads.ts'
import type { SideName } from './sides.ts'
import { type Server, startServer } from './start-server.ts'

/** A side's service with a database of its own. */
export interface RunningSide extends Contender {
  readonly name: SideName
  readonly database: BenchDatabase
  readonly server: Server
}

/** Starts the services of all sides, calls back, stops them. */
export async function withSides<Result>(
  databases: DatabaseServer,
  names: readonly SideName[],
  work: (sides: readonly RunningSide[]) => Promise<Result>,
): Promise<Result> {
  const sides: RunningSide[] = []
  try {
    for (const name of names) sides.push(await startSide(databases, name))
    return await work(sides)
  } finally {
    for (const { server, database } of sides) {
      await server.stop()
      await database.remove()
    }
  }
}

async function startSide(databases: DatabaseServer, name: SideName): Promise<RunningSide> {
  const database = await databases.open(name)
  const server = await startServer(databases.name, name, database.location).catch(async (error: unknown) => {
    await database.remove()
    throw error
  })
  return { name, port: server.port, workloads, reset: database.reset, database, server }
}
