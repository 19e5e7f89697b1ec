/** What is used of a client of `pg` to send queries of one's own, as `pg-cursor` and `pg-query-stream` do. */
export interface PipelineClient {
  query(query: object): unknown
  end(): Promise<void>
  getTypeParser(type: number, format: 'text'): ParseText
  /** The client takes its next query from its queue. It is false while the client waits for the server. */
  readyForQuery: boolean
  readonly connection: PipelineConnection
}

export type ParseText = (text: string) => unknown

/** How a query speaks to the server. */
export interface PipelineConnection {
  /** Reports each error that the server sends, whichever query caused it. */
  on(event: 'errorMessage', listener: (error: unknown) => void): unknown
  /** Reports when the server is ready: idle (`I`), in a transaction (`T`), or in one that has failed (`E`). */
  on(event: 'readyForQuery', listener: (message: { readonly status?: string }) => void): unknown
  parse(statement: { name: string; text: string }): void
  bind(portal: { statement: string; values: readonly (string | null)[] }): void
  describe(what: { type: 'P' }): void
  execute(): void
  close(what: { type: 'S'; name: string }): void
  sync(): void
  readonly stream: { cork(): void; uncork(): void }
}

/** Whether a client takes queries of one's own. With `pipeline` it takes only those of `pg`; `pg-native` takes none. */
export function takesOwnQueries(client: object): client is PipelineClient {
  const hasParts = 'getTypeParser' in client && 'readyForQuery' in client && 'connection' in client
  if (!hasParts || ('pipeline' in client && client.pipeline === true)) return false
  const { connection } = client
  if (typeof connection !== 'object' || connection === null) return false
  if (!('parse' in connection && 'on' in connection && 'stream' in connection)) return false
  const { stream } = connection
  return typeof stream === 'object' && stream !== null && 'cork' in stream
}
