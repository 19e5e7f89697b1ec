/** The process that makes the load: runs each order that its parent sends, and sends the result. Argument: `awake`, or none. */
import { tellParent } from '../worker.ts'
import { type LoadResult, runLoad } from './run-load.ts'
import type { WorkName } from './work.ts'
import { workloadsOf } from './workloads-of.ts'

export interface LoadOrder {
  readonly port: number
  /** Whom it asks: a side or a peer. */
  readonly side: string
  readonly work: WorkName
  readonly connections: number
  readonly records: number
  /** Seconds of load before anything is counted. */
  readonly warmUp: number
  readonly seconds: number
}

export interface LoadMessage {
  readonly result?: LoadResult
  readonly failure?: string
}

const staysAwake = process.argv[2] === 'awake'

process.once('disconnect', () => process.exit())
process.on('message', (order: LoadOrder) => {
  run(order).then(
    (result) => tell({ result }),
    (error: unknown) => tell({ failure: String(error) }),
  )
})
tell({})

async function run({ port, side, work, connections, records, warmUp, seconds }: LoadOrder): Promise<LoadResult> {
  const workload = workloadsOf(side)[work]
  if (workload === undefined) throw new Error(`${side} does not do that`)
  const sources = Array.from({ length: connections }, (_, connection) =>
    workload.requests({ connection, connections, records }),
  )
  return runLoad({ port, status: workload.status, warmUp, seconds, staysAwake }, sources)
}

function tell(message: LoadMessage): void {
  tellParent(message)
}
