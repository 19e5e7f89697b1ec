/**
 * The part of a client of `pg` that a pipeline uses. `pg` documents `query` and `end`; `pg-cursor` and `pg-query-stream` also rely on
 * queries that send themselves.
 */
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

/** The functions of each object, as a pipeline calls them. */
const OF_CLIENT: readonly (keyof PipelineClient)[] = ['query', 'end', 'getTypeParser']
const OF_CONNECTION: readonly (keyof PipelineConnection)[] = [
  'on',
  'parse',
  'bind',
  'describe',
  'execute',
  'close',
  'sync',
]
const OF_STREAM: readonly (keyof PipelineConnection['stream'])[] = ['cork', 'uncork']

/** What a connected client lacks for a pipeline, such as `connection.sync`. */
export function missingIn(client: object): readonly string[] {
  const { readyForQuery, connection } = client as Partial<PipelineClient>
  return [
    ...functionsMissing(client, OF_CLIENT, ''),
    ...(typeof readyForQuery === 'boolean' ? [] : ['readyForQuery']),
    ...functionsMissing(connection, OF_CONNECTION, 'connection.'),
    ...functionsMissing(connection?.stream, OF_STREAM, 'connection.stream.'),
  ]
}

function functionsMissing(from: object | undefined, names: readonly string[], prefix: string): string[] {
  const functions = (from ?? {}) as Readonly<Record<string, unknown>>
  return names.filter((name) => typeof functions[name] !== 'function').map((name) => `${prefix}${name}`)
}

/** A client that takes no queries that send themselves: `pg-native`, and `pg` with its own `pipeline`. */
export function takesOnlyPlainQueries(client: object): boolean {
  return 'native' in client || ('pipeline' in client && client.pipeline === true)
}

export function isPipelineClient(client: object): client is PipelineClient {
  return !takesOnlyPlainQueries(client) && missingIn(client).length === 0
}
