import { cpus } from '../cpus.ts'
import { startWorker } from '../worker.ts'
import type { LoadMessage, LoadOrder } from './load-process.ts'
import type { LoadResult } from './run-load.ts'

/** The load generator in a process of its own, away from the server's core. */
export interface Load {
  run(order: LoadOrder): Promise<LoadResult>
  stop(): Promise<void>
}

export async function startLoad(): Promise<Load> {
  const script = new URL('./load-process.ts', import.meta.url)
  const { worker } = await startWorker<LoadOrder, LoadMessage>(script, [], cpus?.load)
  return {
    async run(order) {
      const { result, failure } = await worker.ask(order)
      if (result === undefined) throw new Error(`${order.side} ${order.work}: ${failure}`)
      return result
    },
    stop: worker.stop,
  }
}
