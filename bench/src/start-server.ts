import { cpus } from './cpus.ts'
import type { DatabaseName } from './databases/bench-database.ts'
import type { ServeMessage } from './serve-process.ts'
import type { SideName } from './sides.ts'
import { startWorker } from './worker.ts'

/** A side's service in a process of its own, on one core. */
export interface Server {
  readonly port: number
  /** What the process holds after a garbage collection. */
  memory(): Promise<NodeJS.MemoryUsage>
  stop(): Promise<void>
}

export async function startServer(database: DatabaseName, side: SideName, location: string): Promise<Server> {
  const script = new URL('./serve-process.ts', import.meta.url)
  const { worker, first } = await startWorker<object, ServeMessage>(script, [database, side, location], cpus?.server)
  return {
    port: first.port,
    memory: async () => (await worker.ask({})).memory,
    stop: worker.stop,
  }
}
