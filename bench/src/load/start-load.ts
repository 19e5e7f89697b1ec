import { cpus } from '../cpus.ts'
import { startWorker } from '../worker.ts'
import type { LoadMessage, LoadOrder } from './load-process.ts'
import type { LoadResult } from './run-load.ts'

/** The load generator in a process of its own, away from the server's core. */
export interface Load {
  run(order: LoadOrder): Promise<LoadResult>
  stop(): Promise<void>
}

/**
 * `isAlone`: the service and it are all that is under load. If it has a core to itself then, it does not sleep between
 * answers: to wake it would be the service's work, and the more of it the longer it was left asleep.
 */
export async function startLoad(isAlone: boolean): Promise<Load> {
  const script = new URL('./load-process.ts', import.meta.url)
  const args = isAlone && cpus !== undefined ? ['awake'] : []
  const { worker } = await startWorker<LoadOrder, LoadMessage>(script, args, cpus?.load)
  return {
    async run(order) {
      const { result, failure } = await worker.ask(order)
      if (result === undefined) throw new Error(`${order.side} ${order.work}: ${failure}`)
      return result
    },
    stop: worker.stop,
  }
}
