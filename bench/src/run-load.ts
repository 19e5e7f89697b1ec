import { type Connection, connect } from './connect.ts'
import type { Running } from './contender.ts'
import { isPostgres } from './databases.ts'
import type { Options } from './options.ts'
import type { Work } from './works.ts'

/**
 * Asks about as many records as there are requests, evenly spread, on each connection the next request as soon as the last is answered; resolves to requests per second.
 * @throws Error for an answer that is an error.
 */
export async function runLoad(request: Work, { location, port }: Running, options: Options): Promise<number> {
  const { connections, records, requests } = options
  const step = Math.max(1, Math.floor(records / requests))
  const open = await Promise.all(Array.from({ length: connections }, () => connect(port)))
  let id = 0
  const askAll = async ({ ask }: Connection): Promise<void> => {
    while (id < requests) {
      id += 1
      const { status, body } = await ask(request(id * step))
      if (status >= 300) throw new Error(`answered ${status}: ${body}`)
    }
  }
  // To wake a client that sleeps would be the service's work, which it is not where clients are on another machine. PostgreSQL
  // leaves no core to a client that does not sleep.
  let isAwake = !isPostgres(location)
  const stayAwake = () => void (isAwake && setImmediate(stayAwake))
  stayAwake()
  const begin = performance.now()
  await Promise.all(open.map(askAll)).finally(() => {
    isAwake = false
    for (const connection of open) connection.close()
  })
  return (requests / (performance.now() - begin)) * 1000
}
