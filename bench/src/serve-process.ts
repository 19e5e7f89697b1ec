/** The process of one side's service: `serve-process.ts <database> <side> <location>`. Ends with its parent. */
import type { DatabaseName } from './databases/bench-database.ts'
import { buildOf, type SideName } from './sides.ts'
import { tellParent } from './worker.ts'

/** What the parent is told: where the service listens, and what the process holds after a garbage collection. */
export interface ServeMessage {
  readonly port: number
  readonly memory: NodeJS.MemoryUsage
}

const [database, side, location = ''] = process.argv.slice(2)
const build = await buildOf(database as DatabaseName, side as SideName)
const app = await build(location)
const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)

process.once('disconnect', () => app.close().then(() => process.exit()))
process.on('message', tell)
tell()

function tell(): void {
  globalThis.gc?.()
  const message: ServeMessage = { port, memory: process.memoryUsage() }
  tellParent(message)
}
