import type { Workloads } from './load/requests.ts'
import type { WorkName } from './load/work.ts'

/** A running service that is measured beside others. */
export interface Contender {
  readonly name: string
  readonly port: number
  readonly workloads: Workloads
  /** Leaves exactly so many records, as the work needs them. */
  reset(records: number, work: WorkName): Promise<void>
}
