import type { PipelineConnection } from './pipeline-client.ts'

/** What Kysely's dialect reads of an answer. */
export interface PostgresResult {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: readonly Record<string, unknown>[]
}

/** What a statement is made of. */
export interface StatementParts {
  readonly text: string
  /** The name under which the server keeps it; empty: the server does not keep it. */
  readonly name: string
  readonly values: readonly unknown[]
  /** The values as they are sent. */
  readonly texts: readonly (string | null)[]
}

/** Where a statement goes once `pg` lets it use the connection. Returns an error if the statement may not be sent. */
export interface StatementTaker {
  take(statement: SubmittableStatement, connection: PipelineConnection): Error | null
  /** The statement failed before `pg` let it use the connection. */
  drop(statement: SubmittableStatement, error: unknown): void
}

/**
 * A statement as `pg` takes it from `client.query(…)`: a query that sends itself. It is also the promise of its result. So
 * whatever wraps a client's `query`, such as OpenTelemetry's instrumentation, sees an ordinary query, with its text, its values
 * and its end.
 */
export interface SubmittableStatement extends Promise<PostgresResult>, StatementParts, Methods {
  /** A copy has the same. */
  readonly state: StatementState
  /** `pg` puts its own around it, if it has a `query_timeout`. A copy has none. */
  callback?: (error: unknown, result?: PostgresResult) => void
}

/** What takes the server's answer to a message, part by part. */
export interface AnswerTaker {
  describeRows(fields: readonly { name: string; dataTypeID: number }[]): void
  addRow(fields: readonly (string | null)[]): void
  completeStatement(tag: string): void
  end(failure: unknown): void
}

interface StatementState {
  readonly taker: StatementTaker
  /** The statement goes in a message of its own. */
  readonly hasOwnMessage: boolean
  /** The message that the statement goes in, as soon as there is one. */
  message: AnswerTaker | undefined
  isSettled: boolean
  readonly resolve: (result: PostgresResult) => void
  readonly reject: (error: unknown) => void
}

interface Methods {
  submit(connection: PipelineConnection): Error | null
  handleRowDescription(message: { fields: readonly { name: string; dataTypeID: number }[] }): void
  handleDataRow(message: { fields: readonly (string | null)[] }): void
  handleCommandComplete(message: { text: string }): void
  handleEmptyQuery(): void
  handleError(error: unknown): void
  handleReadyForQuery(): void
}

/** `pg` calls these on the query that uses the connection. That is the last one of a message, so the message gets them. */
const methods: Methods & ThisType<SubmittableStatement> = {
  submit(connection) {
    return this.state.taker.take(this, connection)
  },
  handleRowDescription({ fields }) {
    this.state.message?.describeRows(fields)
  },
  handleDataRow({ fields }) {
    this.state.message?.addRow(fields)
  },
  handleCommandComplete({ text }) {
    this.state.message?.completeStatement(text)
  },
  handleEmptyQuery() {
    this.state.message?.completeStatement('')
  },
  handleError(error) {
    if (this.state.message !== undefined) this.state.message.end(error)
    else if (!this.state.isSettled) this.state.taker.drop(this, error)
  },
  handleReadyForQuery() {
    this.state.message?.end(undefined)
  },
}

/**
 * All is the object's own, so that a wrapper may also pass on a copy: that sends itself, and settles the same promise. Few
 * properties of it are for this library: they take most of the time that it takes to make one.
 */
export function submittableStatement(
  parts: StatementParts,
  taker: StatementTaker,
  hasOwnMessage: boolean,
): SubmittableStatement {
  const { promise, resolve, reject } = Promise.withResolvers<PostgresResult>()
  // A wrapper may have another promise for whoever waits.
  promise.catch(() => {})
  const state: StatementState = { taker, hasOwnMessage, message: undefined, isSettled: false, resolve, reject }
  return Object.defineProperty(Object.assign(promise, { ...parts, ...methods, state }), 'callback', CALLBACK)
}

/** Not enumerable: OpenTelemetry's instrumentation waits for a callback that it finds, or else for the promise. */
const CALLBACK: PropertyDescriptor = { value: () => {}, writable: true }

export function resolveStatement(statement: SubmittableStatement, result: PostgresResult): void {
  statement.state.isSettled = true
  statement.state.resolve(result)
  statement.callback?.(null, result)
}

export function rejectStatement(statement: SubmittableStatement, error: unknown): void {
  statement.state.isSettled = true
  statement.state.reject(error)
  statement.callback?.(error)
}
