import { type Connection, connect } from './connect.ts'
import type { BenchRequest } from './works.ts'

export interface Load {
  readonly port: number
  readonly connections: number
  /** The records 1 to so many are asked about, each once. */
  readonly records: number
  /**
   * Not to sleep between answers: to wake this process would be the service's work, which it is not where clients are on another
   * machine. Only for databases that leave a core to it.
   */
  readonly isAwake: boolean
}

/**
 * Asks on each connection the next request as soon as the last is answered; resolves to requests per second.
 *
 * @throws Error for an answer that is an error.
 */
export async function runLoad(request: (id: number) => BenchRequest, load: Load): Promise<number> {
  const { port, connections, records, isAwake } = load
  const open = await Promise.all(Array.from({ length: connections }, () => connect(port)))
  let id = 0
  const askAll = async ({ ask }: Connection): Promise<void> => {
    while (id < records) {
      id += 1
      const { status, body } = await ask(request(id))
      if (status >= 300) throw new Error(`answered ${status}: ${body}`)
    }
  }
  let isOver = false
  const stayAwake = () => void (isOver || setImmediate(stayAwake))
  if (isAwake) stayAwake()
  const begin = performance.now()
  await Promise.all(open.map(askAll)).finally(() => {
    isOver = true
    for (const connection of open) connection.close()
  })
  return (records / (performance.now() - begin)) * 1000
}
