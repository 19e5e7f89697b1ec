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
  /** Ends all connections. */
  cut(): void
  close(): Promise<void>
}

export async function postgresProxy(location: string): Promise<PostgresProxy> {
  const { hostname, port } = new URL(location)
  const sockets = new Set<Socket>()
  let loss: { command: string; how: Loss } | undefined
  const proxy = createServer((service) => {
    const server = connect(Number(port), hostname)
    for (const socket of [service, server]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    let isSilent = false
    service.on('data', (data) => server.write(data))
    service.on('close', () => server.destroy())
    server.on('close', () => setTimeout(() => service.destroy(), control.endsAfter))
    server.on('data', (data) => {
      if (loss !== undefined && answers(data, loss.command)) {
        isSilent = loss.how === 'silent'
        if (loss.how === 'closed') service.destroy()
        if (loss.how === 'reset') service.resetAndDestroy()
        loss = undefined
      }
      if (!isSilent && !service.destroyed) service.write(data)
    })
  })
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const control: PostgresProxy = {
    port: (proxy.address() as AddressInfo).port,
    endsAfter: 0,
    lose(command, how) {
      loss = { command, how }
    },
    cut,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve())
        cut()
      }),
  }
  return control
}

/** CommandComplete: `C`, four bytes of length, the command's tag. */
function answers(data: Buffer, command: string): boolean {
  const tag = Buffer.from(command)
  for (let at = data.indexOf(tag); at !== -1; at = data.indexOf(tag, at + 1)) {
    if (at >= 5 && data[at - 5] === 0x43 && (data[at + tag.length] === 0 || data[at + tag.length] === 0x20)) return true
  }
  return false
}
