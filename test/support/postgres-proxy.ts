import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** How an answer is lost. */
export type Loss = 'closed' | 'reset' | 'silent'

/** Stands between a service and PostgreSQL, and passes on what they say, but for what it is told to lose or to hold back. */
export interface PostgresProxy {
  readonly port: number
  /** Where the server ends a connection, the service is told so late, in ms. At first 0. */
  endsAfter: number
  /**
   * Loses the next answer to a command (`BEGIN`, `SELECT`, `COMMIT`) and what comes behind it: the server has done it,
   * and the service never hears of it.
   */
  lose(command: string, how: Loss): void
  /** The commands whose answers were lost last, as the server named them. */
  readonly lost: readonly string[]
  /** Ends all connections. Resolves when the service has seen that they ended. */
  cut(): Promise<void>
  close(): Promise<void>
}

export async function postgresProxy(location: string): Promise<PostgresProxy> {
  const { hostname, port } = new URL(location)
  const services = new Set<Socket>()
  let loss: { command: string; how: Loss } | undefined
  let lost: readonly string[] = []
  const proxy = createServer((service) => {
    const server = connect(Number(port), hostname)
    for (const socket of [service, server]) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
    }
    services.add(service)
    service.on('close', () => services.delete(service))
    let isSilent = false
    service.on('data', (data) => server.write(data))
    service.on('close', () => server.destroy())
    server.on('close', () => setTimeout(() => service.destroy(), control.endsAfter))
    server.on('data', (data) => {
      const commands = loss === undefined ? [] : answered(data)
      if (loss !== undefined && commands.includes(loss.command)) {
        lost = commands
        isSilent = loss.how === 'silent'
        if (loss.how === 'closed') service.destroy()
        if (loss.how === 'reset') service.resetAndDestroy()
        loss = undefined
      }
      if (!isSilent && !service.destroyed) service.write(data)
    })
  })
  // Each side ends for itself: what the service has seen is known as soon as its side has ended, too.
  const end = (service: Socket) => {
    const ended = new Promise<void>((resolve) => service.once('close', () => resolve()))
    service.end()
    service.resume()
    return ended
  }
  const cut = async () => {
    await Promise.all([...services].map(end))
  }
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const control: PostgresProxy = {
    port: (proxy.address() as AddressInfo).port,
    endsAfter: 0,
    lose(command, how) {
      loss = { command, how }
    },
    get lost() {
      return lost
    },
    cut,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve())
        for (const service of services) service.destroy()
      }),
  }
  return control
}

/** The commands of all CommandComplete messages: `C`, four bytes of length, the command's tag, which ends with a zero. */
function answered(data: Buffer): readonly string[] {
  const commands: string[] = []
  let length = 0
  for (let at = 0; at + 5 <= data.length; at += 1 + length) {
    length = data.readInt32BE(at + 1)
    // A large answer goes on in the middle of a message.
    if (length < 4) break
    if (data[at] === COMMAND_COMPLETE) commands.push(data.toString('latin1', at + 5).split(/[ \0]/, 1)[0] as string)
  }
  return commands
}

const COMMAND_COMPLETE = 'C'.charCodeAt(0)
