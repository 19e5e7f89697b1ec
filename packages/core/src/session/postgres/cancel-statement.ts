/** What is used of a client of `pg` to cancel its statement. */
interface CancellableClient {
  /** The server has told them as the client connected. Behind a pooler, they are the pooler's own. */
  readonly processID: number
  readonly secretKey: number
  readonly host: string
  readonly port: number
  readonly ssl: unknown
  readonly sslNegotiation?: string
  readonly connection: { readonly constructor: unknown }
  end(): Promise<void>
}

/** A connection of `pg` on which nobody has logged in yet. */
interface BareConnection {
  on(event: 'connect' | 'sslconnect' | 'error', listener: () => void): unknown
  once(event: 'end', listener: () => void): unknown
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processID: number, secretKey: number): void
  readonly stream: { destroy(): void }
}

type ConnectionClass = new (options: object) => BareConnection

/** A server that does not answer is given up, and the statement runs to its end. */
const PATIENCE_MS = 5_000

/**
 * Returns what cancels the statement that runs on a client of `pg`, by the request of PostgreSQL's protocol
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS), and then closes the client: the
 * request may come late, and would cancel the next statement. Undefined where the driver does not have the key for it.
 */
export function cancellerOf(client: object, options: object): (() => Promise<void>) | undefined {
  if (!isCancellable(client)) return undefined
  return async () => {
    if (!(await requestCancel(client, options))) return
    // It waits for nothing: a statement that still runs has lost its connection then.
    client.end().catch(() => {})
  }
}

function isCancellable(client: object): client is CancellableClient {
  const { processID, secretKey, host, connection } = client as Partial<CancellableClient>
  const hasKey = typeof processID === 'number' && typeof secretKey === 'number' && typeof host === 'string'
  return hasKey && typeof (connection as Partial<BareConnection> | undefined)?.cancel === 'function'
}

/** Whether the request was sent: the server says nothing but that it closes the connection. */
function requestCancel(client: CancellableClient, options: object): Promise<boolean> {
  const { processID, secretKey, host, port, ssl, sslNegotiation } = client
  const Connection = client.connection.constructor as ConnectionClass
  const { stream } = options as { readonly stream?: unknown }
  const ownStream = typeof stream === 'function' ? { stream } : {}
  return new Promise((resolve) => {
    const connection = new Connection({ ssl, sslNegotiation, ...ownStream })
    let isSent = false
    const send = () => {
      isSent = true
      connection.cancel(processID, secretKey)
    }
    const timer = setTimeout(() => connection.stream.destroy(), PATIENCE_MS)
    connection.on('connect', () => {
      if (!ssl) send()
      else if (sslNegotiation !== 'direct') connection.requestSsl()
    })
    connection.on('sslconnect', send)
    connection.on('error', () => {})
    connection.once('end', () => {
      clearTimeout(timer)
      resolve(isSent)
    })
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
    else connection.connect(port, host)
  })
}
