import { RECORDS } from '../records.ts'
import type { BenchAnswer, BenchRequest } from './request.ts'
import type { WorkName } from './work.ts'

/** How a service is asked to do a work. */
export interface Workload {
  /** The status of every answer. */
  readonly status: number
  /** It is about the parent alone, as the service does not do the children with it. */
  readonly alone?: boolean
  /** Records that it deletes in a second at most, if that is far less than others do: so many more need not be there. */
  readonly mostDeleted?: number
  requests(share: Share): Requests
}

/** The works that a service can do. */
export type Workloads = Readonly<Partial<Record<WorkName, Workload>>>

/** One of several connections that share the records among them. */
export interface Share {
  readonly connection: number
  readonly connections: number
  /** Records that are there when the run begins. */
  readonly records: number
}

/** What one connection asks, one request after the other's answer. */
export interface Requests {
  /** Undefined when there is nothing left to ask for. */
  next(): BenchRequest | undefined
  answered?(answer: BenchAnswer): void
}

/** One request after the other about the connection's own ids, over and over: no two at a time are about one record. */
export function forEachId(share: Share, request: (id: number, turn: number) => BenchRequest): Requests {
  const { connection, connections, records } = share
  let id = connection + 1
  let turn = 0
  return {
    next() {
      const asked = request(id, turn)
      turn += 1
      id += connections
      if (id > records) id = connection + 1
      return asked
    },
  }
}

/** The same request over and over. */
export function always(request: BenchRequest): Requests {
  return { next: () => request }
}

/** One request about each of the records that are there to be deleted. */
export function forEachSpareId(share: Share, request: (id: number) => BenchRequest): Requests {
  const { connection, connections, records } = share
  let id = RECORDS + connection + 1
  return {
    next() {
      if (id > records) return undefined
      const asked = request(id)
      id += connections
      return asked
    },
  }
}

export function newChildren(count: number, turn: number): { name: string; quantity: number }[] {
  return Array.from({ length: count }, (_, index) => ({ name: `new child ${turn}`, quantity: turn + index }))
}
