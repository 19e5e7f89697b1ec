import { AsyncResource } from 'node:async_hooks'
import { isFatal, isReadTimeout, Message } from './message.ts'
import type { PipelineClient, PipelineConnection, PostgresResult, Statement } from './pipeline-client.ts'
import { keptOn, type StatementsOfConnection } from './pipeline-client.ts'
import {
  rejectStatement,
  type StatementTaker,
  type SubmittableStatement,
  submittableStatement,
} from './submittable-statement.ts'

/** A busy connection answers more often than this. On another one, an extra round trip does not matter. */
const JUST_NOW_MS = 50

/** `pg` ignores this error: it only makes room for the next query. */
const IS_SETTLED = new Error('the statement is settled')

/** A statement that waits until those before it are answered. */
interface Waiting {
  readonly pass: () => void
  readonly refuse: (error: unknown) => void
}

/**
 * Sends the statements of one connection of `pg`, several in one message while somebody holds it. `README.md` beside
 * this file has the reasons and an example.
 *
 * Inside, a statement that is *run* is *passed* to the client's `query`, through whatever wraps that, and the client
 * *takes* it by calling its `submit`. Then it is part of a message.
 */
export class Pipeline implements StatementTaker {
  readonly #client: PipelineClient
  readonly #guard: ConnectionGuard
  readonly #kept: StatementsOfConnection
  /** The message of several statements that is collected or under way. */
  #message: Message | undefined
  #waiting: Waiting[] = []
  /** The statement that was passed to the client, but is not taken yet: a wrapper or another query is in the way. */
  #passed: SubmittableStatement | undefined
  /** A wrapper has refused a statement. Those behind it that were to go in the same message fail with this error. */
  #refusal: { readonly error: unknown } | undefined
  /** The client's turn is that of the message's last statement, so the message may be sent. */
  #hasTurn = false
  #answeredAt = Number.NEGATIVE_INFINITY

  constructor(client: PipelineClient) {
    this.#client = client
    this.#kept = keptOn(client.connection)
    this.#guard = new ConnectionGuard(client)
  }

  get isHeld(): boolean {
    return this.#guard.isHeld
  }

  /**
   * From now on, statements that are run in one turn of the event loop go in one message. Nobody else may use the
   * connection until {@link release}. A connection that is in a failed transaction is closed, so the first statement
   * fails.
   */
  hold(): void {
    this.#guard.hold()
  }

  /** From now on, each statement is a message of its own. A connection with a transaction that the holder has left open
   * is closed. */
  release(): void {
    this.#guard.release()
  }

  /** The server has answered on this connection in the last 50 ms. */
  hasJustAnswered(): boolean {
    return performance.now() - this.#answeredAt < JUST_NOW_MS
  }

  /**
   * Runs a statement, and resolves to its result. Statements that are run while a message is under way wait for its
   * end.
   *
   * Rejects with the error of the server, of the driver or of a wrapper. If an earlier statement of the message has
   * failed, the server has not run this one: then it is an Error with the `code` and `severity` of that error, which is
   * its `cause`. A statement that was not sent yet fails with that error itself. An error without `severity` is not the
   * server's: the outcome is unknown.
   */
  async run(given: Statement): Promise<PostgresResult> {
    const statement = submittableStatement(given, this, !this.isHeld)
    try {
      return await (statement.state.hasOwnMessage ? this.#submit(statement) : this.#passInTurn(statement))
    } catch (error) {
      // Otherwise the stack leads to the driver's socket, not to the code that sent the statement.
      if (error instanceof Error) Error.captureStackTrace(error)
      throw error
    }
  }

  /** Calls the client's `query`, and so whatever wraps that. */
  #submit(statement: SubmittableStatement): Promise<PostgresResult> {
    try {
      const answer = this.#client.query(statement)
      // A wrapper that knows of no promises returns nothing.
      return answer === undefined ? statement : Promise.resolve(answer as PostgresResult)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #passInTurn(statement: SubmittableStatement): Promise<PostgresResult> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal.error)
    const mustWait = this.#passed !== undefined || this.#waiting.length > 0 || this.#message?.isSent === true
    if (!mustWait) return this.#pass(statement)
    return new Promise((resolve, reject) => {
      // Wrappers look at the context of the call: in which request, under which span it is.
      this.#waiting.push({ pass: AsyncResource.bind(() => resolve(this.#pass(statement))), refuse: reject })
    })
  }

  #pass(statement: SubmittableStatement): Promise<PostgresResult> {
    this.#passed = statement
    // While the message is collected, the client waits for nothing. So it calls `take` at once, and its own queue stays
    // empty.
    if (this.#hasTurn) this.#client.readyForQuery = true
    const answer = this.#submit(statement)
    if (this.#passed !== statement) return answer
    // The client did not take the statement. But it may have taken a query that a wrapper put in front.
    if (this.#hasTurn) {
      this.#hasTurn = this.#client.readyForQuery
      this.#client.readyForQuery = false
    }
    return this.#untilTaken(statement, answer)
  }

  /** A wrapper or another query is in the way of a statement. */
  async #untilTaken(statement: SubmittableStatement, answer: Promise<PostgresResult>): Promise<PostgresResult> {
    try {
      const result = await answer
      // A wrapper has answered the statement itself.
      if (this.#passed === statement) {
        rejectStatement(statement, IS_SETTLED)
        this.#goOnWithout()
        this.#passWaiting()
      }
      return result
    } catch (error) {
      if (this.#passed === statement) this.refuse(statement, error)
      throw error
    }
  }

  take(statement: SubmittableStatement, connection: PipelineConnection): Error | null {
    if (statement.state.hasOwnMessage) {
      const message = this.#newMessage(true)
      message.add(statement)
      message.send(connection)
      return null
    }
    if (statement.state.isSettled) return IS_SETTLED
    this.#passed = undefined
    this.#message ??= this.#newMessage(false)
    if (statement.state.message === undefined) this.#message.add(statement)
    // The code that runs now may run more statements.
    if (!this.#hasTurn) process.nextTick(() => this.#send(connection))
    this.#hasTurn = true
    return null
  }

  refuse(statement: SubmittableStatement, error: unknown): void {
    rejectStatement(statement, error)
    if (this.#passed === undefined) return
    this.#refuseWaiting(error)
    this.#refusal = { error }
    if (this.#message === undefined) {
      process.nextTick(() => {
        this.#refusal = undefined
      })
    }
    this.#goOnWithout()
  }

  /** The statement that was passed does not come. */
  #goOnWithout(): void {
    this.#passed = undefined
    // The message that is collected has lost its turn to a query of the wrapper's: it needs another one.
    const last = this.#message?.isSent === false && !this.#hasTurn ? this.#message.statements.at(-1) : undefined
    if (last !== undefined) this.#client.query(last)
  }

  #send(connection: PipelineConnection): void {
    this.#passWaiting()
    if (!this.#hasTurn || this.#message === undefined) return
    this.#hasTurn = false
    this.#message.send(connection)
  }

  #passWaiting(): void {
    while (this.#passed === undefined && this.#waiting.length > 0) this.#waiting.shift()?.pass()
  }

  #refuseWaiting(error: unknown): void {
    for (const { refuse } of this.#waiting) refuse(error)
    this.#waiting = []
  }

  #newMessage(isTransaction: boolean): Message {
    const message = new Message(this.#client, this.#kept, {
      isTransaction,
      close: () => this.#guard.close(),
      onEnd: (error) => this.#end(message, error),
    })
    return message
  }

  #end(message: Message, error: unknown): void {
    if (error === undefined) this.#answeredAt = performance.now()
    else this.#guard.closeAfter(error)
    if (message !== this.#message) return
    this.#message = undefined
    this.#refusal = undefined
    this.#hasTurn = false
    if (error === undefined) {
      this.#passWaiting()
      return
    }
    if (this.#passed !== undefined) rejectStatement(this.#passed, error)
    this.#passed = undefined
    this.#refuseWaiting(error)
  }
}

/** The server ignores statements until the transaction ends, as one of them has failed. */
const FAILED_TRANSACTION = '25P02'

/** Knows who holds a connection, and closes one that must not be used again. A pool replaces it. */
class ConnectionGuard {
  isHeld = false
  readonly #client: PipelineClient
  /** What the server reported last: idle (`I`), in a transaction (`T`), or in one that has failed (`E`). */
  #status = 'I'
  #statusBefore = 'I'

  constructor(client: PipelineClient) {
    this.#client = client
    client.connection.on('readyForQuery', ({ status = 'I' }) => {
      this.#status = status
    })
    client.connection.on('errorMessage', (error) => {
      // The connection may stay open for a while and accept what is sent.
      if (isFatal(error)) this.close()
    })
  }

  hold(): void {
    this.isHeld = true
    this.#statusBefore = this.#status
    // Its last user left it in a failed transaction.
    if (this.#status === 'E') this.close()
  }

  release(): void {
    this.isHeld = false
    if (this.#status !== 'I' && this.#statusBefore === 'I') this.close()
  }

  /** A message has failed. A holder sends nothing but `rollback` in a transaction that has failed, so this is another
   * one's. */
  closeAfter(error: unknown): void {
    const isFailedTransaction = this.isHeld && (error as { code?: unknown }).code === FAILED_TRANSACTION
    if (isFailedTransaction || isReadTimeout(error)) this.close()
  }

  close(): void {
    this.#client.end().catch(() => {})
  }
}
