import { type AddressInfo, createServer, type Socket } from 'node:net'
import pg from 'pg'

/**
 * A pooler in transaction mode, as PgBouncer without prepared statements is: a client has a connection to PostgreSQL for one
 * transaction, and the next free one for the next. It looks into none of the messages but the server's ReadyForQuery.
 */
export interface TransactionPooler {
  readonly port: number
  /** The codes of all errors that it passed on to clients. */
  readonly errors: readonly string[]
  close(): Promise<void>
}

interface Server {
  readonly client: pg.Client
  readonly socket: Socket
  /** The client whose transaction it is in. */
  user: Socket | undefined
}

/** What a client hears when it connects: AuthenticationOk, and that the server is idle. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])

/** @param connections to PostgreSQL, which clients use in turn. There must be as many as clients at the same time. */
export async function transactionPooler(location: string, connections: number): Promise<TransactionPooler> {
  const errors: string[] = []
  const servers = await Promise.all(Array.from({ length: connections }, () => connectTo(location)))
  const clients = new Set<Socket>()
  for (const server of servers) {
    eachMessage(server.socket, (type, message) => {
      const { user } = server
      if (type === 'E') errors.push(/\0C(\w{5})\0/.exec(message.toString('latin1'))?.[1] ?? '')
      // Nobody else uses it before the transaction is over.
      if (type === 'Z' && message.at(-1) === IDLE) server.user = undefined
      if (user?.destroyed === false) user.write(message)
    })
  }
  const serverOf = (client: Socket): Server => {
    const used = servers.find(({ user }) => user === client)
    if (used !== undefined) return used
    const index = servers.findIndex(({ user }) => user === undefined)
    const [free] = index < 0 ? [] : servers.splice(index, 1)
    if (free === undefined) throw new Error('more clients at the same time than connections')
    free.user = client
    // Last in line: the next transaction has another one.
    servers.push(free)
    return free
  }
  const pooler = createServer((client) => {
    clients.add(client)
    client.setNoDelay(true)
    client.on('error', () => {})
    client.on('close', () => {
      clients.delete(client)
      servers.find(({ user }) => user === client)?.socket.write(ROLLBACK)
    })
    client.once('data', () => {
      client.write(WELCOME)
      eachMessage(client, (type, message) => {
        if (type !== 'X') serverOf(client).socket.write(message)
      })
    })
  })
  await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve))
  return {
    port: (pooler.address() as AddressInfo).port,
    errors,
    async close() {
      for (const client of clients) client.destroy()
      await new Promise<void>((resolve) => pooler.close(() => resolve()))
      for (const { socket } of servers) socket.destroy()
    },
  }
}

/** Ends the transaction of a client that has gone. */
const ROLLBACK = Buffer.from('Q\0\0\0\x0drollback\0', 'latin1')

const IDLE = 'I'.charCodeAt(0)

/** Has `pg` connect, and takes the connection from it. */
async function connectTo(location: string): Promise<Server> {
  const client = new pg.Client(location)
  await client.connect()
  client.on('error', () => {})
  const { stream: socket } = (client as unknown as { connection: { stream: Socket } }).connection
  socket.removeAllListeners('data')
  return { client, socket, user: undefined }
}

/** Calls back for each message: a letter, four bytes of length, and the rest. */
function eachMessage(socket: Socket, take: (type: string, message: Buffer) => void): void {
  let rest = Buffer.alloc(0)
  socket.on('data', (data: Buffer) => {
    rest = Buffer.concat([rest, data])
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const length = 1 + rest.readInt32BE(1)
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      take(String.fromCharCode(message[0] as number), message)
    }
  })
}
