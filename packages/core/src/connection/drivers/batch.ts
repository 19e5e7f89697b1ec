/** What is used of a client of `pg` to submit a query of one's own, as `pg-cursor` and `pg-query-stream` do. */
export interface BatchClient {
  query(submitted: Batch): unknown
  end(): Promise<void>
  /** Tells of each error that the server sends, whatever it was that asked. */
  readonly connection: { on(event: 'errorMessage', listener: (error: unknown) => void): unknown }
  getTypeParser(type: number, format: 'text'): ParseText
}

type ParseText = (text: string) => unknown

/** How such a query speaks to the server. */
interface Wire {
  parse(statement: { name: string; text: string }): void
  bind(portal: { statement: string; values: readonly (string | null)[] }): void
  describe(what: { type: 'P' }): void
  execute(): void
  close(what: { type: 'S'; name: string }): void
  sync(): void
  readonly stream: { cork(): void; uncork(): void }
}

export interface BatchStatement {
  readonly text: string
  /** What the server keeps it under; empty: it is not kept. */
  readonly name: string
  readonly values: readonly (string | null)[]
  readonly resolve: (result: BatchResult) => void
  readonly reject: (error: unknown) => void
}

/** What Kysely's dialect reads of an answer. */
export interface BatchResult {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: readonly Row[]
}

type Row = Record<string, unknown>

interface Column {
  readonly name: string
  readonly parse: ParseText
}

/** The statements that the server keeps for a connection, by name: the columns of their rows. */
export type KeptOnServer = Map<string, readonly Column[]>

/** The server has forgotten a prepared statement: `deallocate all`, `discard all`. */
export const UNKNOWN_STATEMENT = '26000'

/** The server's first word, and its last number. */
const COMMAND = /^([A-Za-z]+)(?:.* (\d+))?/

/** How a statement went. */
type Outcome = { readonly result: BatchResult } | { readonly error: unknown }

/**
 * Several statements as one message: `pg` would send one each, and every message is a call of the operating system on
 * both sides. The server does them in turn, and after one that fails none of those behind it
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING).
 */
export class Batch {
  /** Called when the batch is over. `pg` puts its own in front where it has a `query_timeout`. */
  callback: (error: unknown) => void
  readonly statements: readonly BatchStatement[]
  readonly #client: BatchClient
  readonly #kept: KeptOnServer
  /** It begins and ends no transaction itself: it is one, which is committed after the last statement is complete. */
  readonly #isTransaction: boolean
  readonly #outcomes: Outcome[] = []
  /** What was known of the rows of each statement when it was sent. */
  readonly #known: (readonly Column[] | undefined)[] = []
  #columns: readonly Column[] = []
  #rows: Row[] = []
  #unreadable: unknown
  #isOver = false

  constructor(
    client: BatchClient,
    kept: KeptOnServer,
    statements: readonly BatchStatement[],
    isTransaction: boolean,
    callback: (error: unknown) => void,
  ) {
    this.#client = client
    this.#kept = kept
    this.statements = statements
    this.#isTransaction = isTransaction
    this.callback = callback
  }

  submit(wire: Wire): unknown {
    const parsed = new Set<string>()
    wire.stream.cork()
    try {
      for (const { name, text, values } of this.statements) {
        const known = name === '' ? undefined : this.#kept.get(name)
        this.#known.push(known)
        if (known === undefined && !parsed.has(name)) {
          // One that failed may be there or not. To close what is not there is no error.
          if (name !== '') wire.close({ type: 'S', name })
          wire.parse({ name, text })
          if (name !== '') parsed.add(name)
        }
        wire.bind({ statement: name, values })
        if (known === undefined) wire.describe({ type: 'P' })
        wire.execute()
      }
    } catch (error) {
      return error
    } finally {
      wire.sync()
      wire.stream.uncork()
    }
    this.#next()
    return null
  }

  /** Its answer comes next. */
  get #current(): BatchStatement | undefined {
    return this.statements[this.#outcomes.length]
  }

  #next(): void {
    this.#rows = []
    this.#columns = this.#known[this.#outcomes.length] ?? []
    this.#unreadable = undefined
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.#client.getTypeParser(dataTypeID, 'text'),
    }))
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const row: Row = {}
    try {
      for (const [index, { name, parse }] of this.#columns.entries()) {
        const text = fields[index] ?? null
        row[name] = text === null ? null : parse(text)
      }
    } catch (error) {
      this.#unreadable ??= error
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { text: string }): void {
    if (this.#isOver) return
    const [, command = '', count] = COMMAND.exec(text) ?? []
    const name = this.#current?.name ?? ''
    if (name !== '') this.#kept.set(name, this.#columns)
    const result = { command, rowCount: count === undefined ? null : Number(count), rows: this.#rows }
    this.#outcomes.push(this.#unreadable === undefined ? { result } : { error: this.#unreadable })
    this.#next()
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  /** The server's error for the current statement, or that the connection is lost, or that it takes too long. */
  handleError(error: unknown): void {
    // This one can not be used any more, or the server has forgotten it, and others as well.
    if ((error as { code?: unknown }).code === UNKNOWN_STATEMENT) this.#kept.clear()
    else this.#kept.delete(this.#current?.name ?? '')
    this.#end(error)
  }

  handleReadyForQuery(): void {
    this.#end(undefined)
  }

  #end(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    const done = this.#outcomes.length
    const isUndone = error !== undefined && this.#isTransaction
    for (const [index, { resolve, reject }] of this.statements.entries()) {
      const outcome = isUndone
        ? { error }
        : (this.#outcomes[index] ?? { error: index === done ? error : skipped(error) })
      if ('result' in outcome) resolve(outcome.result)
      else reject(outcome.error ?? new Error('the server did not answer'))
    }
    this.callback(error)
  }
}

/** What becomes of a statement behind one that the server refused. Without the server everything fails alike. */
function skipped(error: unknown): unknown {
  const { code, severity } = error as { code?: unknown; severity?: unknown }
  if (severity === undefined) return error
  return Object.assign(new Error('not done, as a statement ahead of it failed', { cause: error }), { code, severity })
}
