import type {
  Column,
  PipelineClient,
  PipelineConnection,
  PostgresResult,
  StatementsOfConnection,
} from './pipeline-client.ts'
import {
  type AnswerTaker,
  rejectStatement,
  resolveStatement,
  type SubmittableStatement,
} from './submittable-statement.ts'

/** The tag of an answer starts with the command and ends with the number of rows: `INSERT 0 5`. */
const TAG = /^([A-Za-z]+)(?:.* (\d+))?/

const NO_ANSWER = 'the server has not answered all statements of a message'

type Outcome = { readonly result: PostgresResult } | { readonly error: unknown }

interface MessageOptions {
  /**
   * The message is a transaction of its own: it contains no `begin`, and PostgreSQL commits after its last statement.
   * So no result counts until the end.
   */
  readonly isTransaction: boolean
  /** Closes the connection: nothing that comes on it can be understood any more. */
  readonly close: () => void
  /** Called once, when the server has answered or the connection has failed. */
  readonly onEnd: (error: unknown) => void
}

/**
 * Statements that go to the server together, with one Sync behind them. The server runs them in turn, and after one
 * that fails it runs none of those behind it
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING). `pg` would send a message for
 * each, which is a system call on both sides.
 */
export class Message implements AnswerTaker {
  readonly statements: SubmittableStatement[] = []
  isSent = false
  readonly #client: PipelineClient
  readonly #kept: StatementsOfConnection
  readonly #options: MessageOptions
  readonly #outcomes: Outcome[] = []
  /** For each statement, the columns that were known when it was sent. */
  readonly #columnsAtSend: (readonly Column[] | undefined)[] = []
  #columns: readonly Column[] = []
  #rows: Record<string, unknown>[] = []
  #unreadable: unknown
  #unsendable: unknown
  #isOver = false

  constructor(client: PipelineClient, kept: StatementsOfConnection, options: MessageOptions) {
    this.#client = client
    this.#kept = kept
    this.#options = options
  }

  add(statement: SubmittableStatement): void {
    statement.state.message = this
    this.statements.push(statement)
  }

  send(connection: PipelineConnection): void {
    this.isSent = true
    const parsed = new Set<string>()
    connection.stream.cork()
    try {
      // Ahead of all statements, as the server skips everything behind one that fails.
      for (const name of this.#kept.dropExcess()) connection.close({ type: 'S', name })
      for (const statement of this.statements) this.#sendStatement(statement, connection, parsed)
    } catch (error) {
      this.#unsendable = error
    } finally {
      connection.sync()
      connection.stream.uncork()
    }
    this.#expectNext()
  }

  #sendStatement(
    { name, text, state }: SubmittableStatement,
    connection: PipelineConnection,
    parsed: Set<string>,
  ): void {
    const { kept, texts } = state.given
    const known = kept && this.#kept.use(kept)
    this.#columnsAtSend.push(known)
    if (known === undefined && !parsed.has(name)) {
      // The server may or may not keep a statement that failed. It is no error to close one that it does not have.
      if (kept !== undefined) connection.close({ type: 'S', name })
      connection.parse({ name, text })
      if (kept !== undefined) parsed.add(name)
    }
    connection.bind({ statement: name, values: texts })
    if (known === undefined) connection.describe({ type: 'P' })
    connection.execute()
  }

  #expectNext(): void {
    this.#rows = []
    this.#columns = this.#columnsAtSend[this.#outcomes.length] ?? []
    this.#unreadable = undefined
  }

  /** The statement whose answer comes next. */
  get #current(): SubmittableStatement | undefined {
    return this.statements[this.#outcomes.length]
  }

  describeRows(fields: readonly { name: string; dataTypeID: number }[]): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.#client.getTypeParser(dataTypeID, 'text'),
    }))
  }

  addRow(fields: readonly (string | null)[]): void {
    const row: Record<string, unknown> = {}
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

  completeStatement(tag: string): void {
    if (this.#isOver) return
    const [, command = '', count] = TAG.exec(tag) ?? []
    const name = this.#current?.name ?? ''
    if (name !== '') this.#kept.set(name, this.#columns)
    const result = { command, rowCount: count === undefined ? null : Number(count), rows: this.#rows }
    this.#outcomes.push(this.#unreadable === undefined ? { result } : { error: this.#unreadable })
    this.#expectNext()
  }

  /** The server waits for rows, and takes the rest of the message for them. */
  refuseCopy(): void {
    this.end(new Error('COPY … FROM STDIN cannot be sent with other statements'))
    this.#options.close()
  }

  /**
   * The server is done, or there is an error: the server's for the current statement, that the connection is lost, or
   * that the answer takes too long.
   */
  end(failure: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    const done = this.#outcomes.length
    const error = failure ?? this.#unsendable ?? (done < this.statements.length ? new Error(NO_ANSWER) : undefined)
    if (error !== undefined) this.#forget(error)
    const outcomes = error !== undefined && this.#options.isTransaction ? [] : this.#outcomes
    for (const [index, statement] of this.statements.entries()) {
      const outcome = outcomes[index] ?? { error: index <= done ? error : notRun(error) }
      if ('result' in outcome) resolveStatement(statement, outcome.result)
      else rejectStatement(statement, outcome.error)
    }
    this.#options.onEnd(error)
  }

  #forget(error: unknown): void {
    // The server has forgotten the current statement, or keeps it for another table. So it probably is with others as
    // well.
    if (isUnknownStatement(error) || isOutdated(error)) this.#kept.forgetAll()
    else this.#kept.forget(this.#current?.name ?? '')
  }
}

/** The error of a statement behind one that the server refused. If the connection failed, all have the same error. */
function notRun(error: unknown): unknown {
  const { code, severity } = error as { code?: unknown; severity?: unknown }
  if (severity === undefined) return error
  return Object.assign(new Error('not run, because an earlier statement failed', { cause: error }), { code, severity })
}

const FATAL_CODES = new Set(['25P03', '25P04', '57P01', '57P02', '57P03', '57P04', '57P05'])

/**
 * Whether an error ends the session with a PostgreSQL server: FATAL or PANIC
 * (https://www.postgresql.org/docs/current/runtime-config-logging.html#RUNTIME-CONFIG-SEVERITY-LEVELS). A server with
 * another language (`lc_messages`) translates these words, so there the code decides.
 */
export function isFatal(error: unknown): boolean {
  const { severity, code } = error as { severity?: unknown; code?: unknown }
  if (severity === 'FATAL' || severity === 'PANIC') return true
  return typeof severity === 'string' && severity !== 'ERROR' && FATAL_CODES.has(String(code))
}

/**
 * The server does not have the prepared statement of that name (`deallocate all`, `discard all`), or has one already: a
 * pooler may have changed servers.
 */
const UNKNOWN_CODES = new Set(['26000', '42P05'])

/** Whether the server keeps other prepared statements than the driver believes. */
export function isUnknownStatement(error: unknown): boolean {
  return UNKNOWN_CODES.has(String((error as { code?: unknown }).code))
}

/** A parameter or a column has the type that another column had when the statement was prepared. */
const OUTDATED_CODES = new Set(['42804', '42P18', '42846'])

/** Whether a table may have changed in such a way that statements must be prepared anew. */
export function isOutdated(error: unknown): boolean {
  const { code, routine } = error as { code?: unknown; routine?: unknown }
  return OUTDATED_CODES.has(String(code)) || (code === '0A000' && routine === 'RevalidateCachedQuery')
}

/**
 * Whether `pg` has stopped waiting for an answer (`query_timeout`). The server goes on, and may leave the connection in
 * a transaction.
 */
export function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && /^Query read timeout/.test(error.message)
}
