import type { PipelineConnection, PostgresResult, Statement } from './pipeline-client.ts'

/**
 * A statement as `pg` takes it from `client.query(…)`: a query that sends itself. It is also the promise of its result.
 * So whatever wraps a client's `query`, such as OpenTelemetry's instrumentation, sees an ordinary query, with its text,
 * its values and its end.
 */
export interface SubmittableStatement extends Promise<PostgresResult>, Methods {
  readonly text: string
  readonly values: readonly unknown[]
  /** Empty: it has none. */
  readonly name: string
  /** A copy has the same. */
  readonly state: StatementState
  /** `pg` puts its own around it, if it has a `query_timeout`. A copy has none. */
  callback?: (error: unknown, result?: PostgresResult) => void
}

/** Where a statement goes as soon as `pg` lets it use the connection. */
export interface StatementTaker {
  /** Returns an error if the statement may not be sent. */
  take(statement: SubmittableStatement, connection: PipelineConnection): Error | null
  /** The statement failed before `pg` let it use the connection. */
  refuse(statement: SubmittableStatement, error: unknown): void
}

/** Takes the server's answer to a message, part by part. */
export interface AnswerTaker {
  describeRows(fields: readonly { name: string; dataTypeID: number }[]): void
  addRow(fields: readonly (string | null)[]): void
  completeStatement(tag: string): void
  refuseCopy(): void
  end(failure: unknown): void
}

interface StatementState {
  readonly given: Statement
  readonly taker: StatementTaker
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
  handleCopyInResponse(): void
  handleCopyData(): void
  handleError(error: unknown): void
  handleReadyForQuery(): void
}

/** `pg` calls these on the query that uses the connection. That is the last one of a message, so the message gets
 * them. */
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
  handleCopyInResponse() {
    this.state.message?.refuseCopy()
  },
  // As for a query of `pg` itself, the result has no rows.
  handleCopyData() {},
  handleError(error) {
    if (this.state.message !== undefined) this.state.message.end(error)
    else if (!this.state.isSettled) this.state.taker.refuse(this, error)
  },
  handleReadyForQuery() {
    this.state.message?.end(undefined)
  },
}

/**
 * All is the object's own, so that a wrapper may also pass on a copy: that sends itself, and settles the same promise.
 * Few properties of it are for the pipeline: they take most of the time that it takes to make one.
 *
 * @param hasOwnMessage the statement goes in a message of its own.
 */
export function submittableStatement(
  given: Statement,
  taker: StatementTaker,
  hasOwnMessage: boolean,
): SubmittableStatement {
  const { promise, resolve, reject } = Promise.withResolvers<PostgresResult>()
  // A wrapper may return another promise, and leave this one alone.
  promise.catch(() => {})
  const state: StatementState = { given, taker, hasOwnMessage, message: undefined, isSettled: false, resolve, reject }
  const { text, values, kept } = given
  const parts = { text, values, name: kept?.name ?? '', ...methods, state }
  return Object.defineProperty(Object.assign(promise, parts), 'callback', CALLBACK)
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
