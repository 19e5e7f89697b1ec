/**
 * The part of a client of `pg` that a pipeline uses. `pg` documents `query` and `end`; `pg-cursor` and
 * `pg-query-stream` also rely on queries that send themselves.
 */
export interface PipelineClient {
  query(query: object): unknown
  end(): Promise<void>
  getTypeParser(type: number, format: 'text'): ParseText
  /** The client takes its next query from its queue. It is false while the client waits for the server. */
  readyForQuery: boolean
  readonly connection: PipelineConnection
}

type ParseText = (text: string) => unknown

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

export interface Column {
  readonly name: string
  readonly parse: ParseText
}

/** The statements that the server keeps for a connection. */
export class StatementsOfConnection {
  /** The columns of their rows, by the statement's name. */
  readonly #columns = new Map<string, readonly Column[]>()
  /**
   * Their names, in the order of their last use. The server may not keep all of them: it may have refused a statement
   * before it prepared it, or after.
   */
  readonly #groups = new Map<KeptGroup, Set<string>>()

  /** The columns of a statement that is about to run; undefined if it has to be prepared. */
  use({ name, group }: KeptName): readonly Column[] | undefined {
    const names = this.#groups.get(group) ?? new Set()
    names.delete(name)
    this.#groups.set(group, names.add(name))
    return this.#columns.get(name)
  }

  /** Removes the statements that are too many, and returns their names. */
  dropExcess(): readonly string[] {
    const dropped: string[] = []
    for (const [{ most }, names] of this.#groups) {
      for (const name of names) {
        if (names.size <= most) break
        names.delete(name)
        this.#columns.delete(name)
        dropped.push(name)
      }
    }
    return dropped
  }

  /** The server keeps the statement. */
  set(name: string, columns: readonly Column[]): void {
    this.#columns.set(name, columns)
  }

  /** The server may not keep the statement any more. */
  forget(name: string): void {
    this.#columns.delete(name)
  }

  forgetAll(): void {
    this.#columns.clear()
  }
}

const onConnections = new WeakMap<PipelineConnection, StatementsOfConnection>()

/** All pipelines of a connection share it: each must know what another one has dropped. */
export function keptOn(connection: PipelineConnection): StatementsOfConnection {
  let kept = onConnections.get(connection)
  if (kept === undefined) {
    kept = new StatementsOfConnection()
    onConnections.set(connection, kept)
  }
  return kept
}

/** Statements of which the server keeps the last ones that were used. Each group has a limit of its own. */
export interface KeptGroup {
  readonly most: number
}

/** Under which name the server keeps a statement prepared. Only one text may have the name. */
export interface KeptName {
  readonly name: string
  readonly group: KeptGroup
}

/** A single command of SQL. */
export interface Statement {
  readonly text: string
  /** The values of `$1`, `$2` …, for whatever wraps the client's `query`. */
  readonly values: readonly unknown[]
  /** The values as they are sent, in PostgreSQL's text format. */
  readonly texts: readonly (string | null)[]
  /** Undefined: the server does not keep the statement. */
  readonly kept: KeptName | undefined
}

/** What Kysely's dialect reads of an answer. Values are what the client's type parsers make of them. */
export interface PostgresResult {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: readonly Record<string, unknown>[]
}
