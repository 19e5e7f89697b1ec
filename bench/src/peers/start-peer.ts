import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { Contender } from '../contender.ts'
import { cpus } from '../cpus.ts'
import { openSqlite } from '../databases/open-sqlite.ts'
import { seedSqlite } from '../databases/seed-sqlite.ts'
import { workloadsOf } from '../load/workloads-of.ts'
import { startWorker } from '../worker.ts'
import { type PeerName, peers } from './peers.ts'

export interface RunningPeer extends Contender {
  readonly name: PeerName
  readonly database: Database
  stop(): Promise<void>
}

/** A peer's service in a process of its own, on one core, with a SQLite file of its own. */
export async function startPeer(name: PeerName): Promise<RunningPeer> {
  const folder = await mkdtemp(join(tmpdir(), 'fastify-crud-bench-peer-'))
  const file = join(folder, `${name}.sqlite`)
  const script = new URL('../../peers/serve-peer.js', import.meta.url)
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  const { worker, first } = await startWorker<object, { port: number }>(script, [name, file], cpus?.server).catch(
    async (error: unknown) => {
      await removeFolder()
      throw error
    },
  )
  const database = openSqlite(file)
  const workloads = workloadsOf(name)
  return {
    name,
    port: first.port,
    workloads,
    database,
    async reset(records, work) {
      // Whoever deletes a parent alone can only delete one that is alone.
      const isAlone = work === 'delete' && workloads.delete?.alone === true
      seedSqlite(database, peers[name].names, records, isAlone ? 0 : undefined)
    },
    async stop() {
      database.close()
      await worker.stop()
      await removeFolder()
    },
  }
}
