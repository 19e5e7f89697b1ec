import { AsyncResource } from 'node:async_hooks'
import { ConnectionGuard } from './connection-guard.ts'
import { type KeptStatements, keptOn } from './kept-statements.ts'
import { Message } from './message.ts'
import type { PipelineClient, PipelineConnection } from './pipeline-client.ts'
import {
  type PostgresResult,
  rejectStatement,
  type StatementParts,
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
  readonly hand: () => void
  readonly refuse: (error: unknown) => void
}

/**
 * Sends the statements of one connection. While a session of the store holds the connection, statements that are given in one
 * turn of the event loop go in one message. Those that are given while a message is under way wait for its end; if it fails,
 * they fail with its error. Otherwise each statement is a message of its own.
 */
export class Pipeline implements StatementTaker {
  readonly guard: ConnectionGuard
  readonly #client: PipelineClient
  readonly #kept: KeptStatements
  /** The message that is collected or under way. */
  #message: Message | undefined
  #waiting: Waiting[] = []
  /** The statement that was given to the client, but has not come through: a wrapper or another query is in the way. */
  #handed: SubmittableStatement | undefined
  /** A wrapper has refused a statement. Those behind it that were to go in the same message fail with this error. */
  #refusal: { readonly error: unknown } | undefined
  /** The client's turn is that of the message's last statement, so the message may be sent. */
  #hasTurn = false
  #answeredAt = Number.NEGATIVE_INFINITY

  constructor(client: PipelineClient) {
    this.#client = client
    this.#kept = keptOn(client.connection)
    this.guard = new ConnectionGuard(client)
  }

  /** The server has answered on this connection a moment ago. */
  hasJustAnswered(): boolean {
    return performance.now() - this.#answeredAt < JUST_NOW_MS
  }

  async run(parts: StatementParts): Promise<PostgresResult> {
    const statement = submittableStatement(parts, this, !this.guard.isHeld)
    try {
      return await (statement.state.hasOwnMessage ? this.#submit(statement) : this.#give(statement))
    } catch (error) {
      // Otherwise the stack leads to the driver's socket, not to the code that sent the statement.
      if (error instanceof Error) Error.captureStackTrace(error)
      throw error
    }
  }

  /** Gives a statement to the client's `query`, and so to whatever wraps that. */
  #submit(statement: SubmittableStatement): Promise<PostgresResult> {
    try {
      const answer = this.#client.query(statement)
      // A wrapper that knows of no promises returns nothing.
      return answer === undefined ? statement : Promise.resolve(answer as PostgresResult)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #give(statement: SubmittableStatement): Promise<PostgresResult> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal.error)
    if (this.#canHand()) return this.#hand(statement)
    return new Promise((resolve, reject) => {
      // Wrappers look at the context of the call: in which request, under which span it is.
      this.#waiting.push({ hand: AsyncResource.bind(() => resolve(this.#hand(statement))), refuse: reject })
    })
  }

  #canHand(): boolean {
    return this.#handed === undefined && this.#waiting.length === 0 && this.#message?.isSent !== true
  }

  #hand(statement: SubmittableStatement): Promise<PostgresResult> {
    this.#handed = statement
    // While the message is collected, the client waits for nothing. So it calls `take` at once, and its own queue stays empty.
    if (this.#hasTurn) this.#client.readyForQuery = true
    const answer = this.#submit(statement)
    if (!this.#isHandedStill(statement)) return answer
    if (this.#hasTurn) this.#keepTurn()
    return this.#untilTaken(statement, answer)
  }

  /** A wrapper or another query is in the way of a statement. */
  async #untilTaken(statement: SubmittableStatement, answer: Promise<PostgresResult>): Promise<PostgresResult> {
    try {
      const result = await answer
      if (this.#isHandedStill(statement)) this.#skip(statement)
      return result
    } catch (error) {
      if (this.#isHandedStill(statement)) this.drop(statement, error)
      throw error
    }
  }

  #isHandedStill(statement: SubmittableStatement): boolean {
    return this.#handed === statement
  }

  /** The client did not take the statement. But it may have taken a query that a wrapper put in front. */
  #keepTurn(): void {
    this.#hasTurn = this.#client.readyForQuery
    this.#client.readyForQuery = false
  }

  take(statement: SubmittableStatement, connection: PipelineConnection): Error | null {
    if (statement.state.hasOwnMessage) {
      const message = this.#newMessage(true)
      message.add(statement)
      message.send(connection)
      return null
    }
    if (statement.state.isSettled) return IS_SETTLED
    this.#handed = undefined
    this.#message ??= this.#newMessage(false)
    if (statement.state.message === undefined) this.#message.add(statement)
    // The code that runs now may give more statements.
    if (!this.#hasTurn) process.nextTick(() => this.#send(connection))
    this.#hasTurn = true
    return null
  }

  drop(statement: SubmittableStatement, error: unknown): void {
    rejectStatement(statement, error)
    if (this.#handed === undefined) return
    this.#refuseWaiting(error)
    this.#refusal = { error }
    if (this.#message === undefined) {
      process.nextTick(() => {
        this.#refusal = undefined
      })
    }
    this.#goOn()
  }

  /** A wrapper has answered the statement itself. */
  #skip(statement: SubmittableStatement): void {
    rejectStatement(statement, IS_SETTLED)
    this.#goOn()
    this.#handWaiting()
  }

  /** The statement that was handed does not come. */
  #goOn(): void {
    this.#handed = undefined
    // The message that is collected has lost its turn to a query of the wrapper's: it needs another one.
    const last = this.#message?.isSent === false && !this.#hasTurn ? this.#message.statements.at(-1) : undefined
    if (last !== undefined) this.#client.query(last)
  }

  #send(connection: PipelineConnection): void {
    this.#handWaiting()
    if (!this.#hasTurn || this.#message === undefined) return
    this.#hasTurn = false
    this.#message.send(connection)
  }

  #handWaiting(): void {
    while (this.#handed === undefined && this.#waiting.length > 0) this.#waiting.shift()?.hand()
  }

  #refuseWaiting(error: unknown): void {
    for (const { refuse } of this.#waiting) refuse(error)
    this.#waiting = []
  }

  #newMessage(isTransaction: boolean): Message {
    const message = new Message(this.#client, this.#kept, {
      isTransaction,
      onEnd: (error) => this.#end(message, error),
    })
    return message
  }

  #end(message: Message, error: unknown): void {
    if (error === undefined) this.#answeredAt = performance.now()
    else this.guard.closeAfter(error)
    if (message !== this.#message) return
    this.#message = undefined
    this.#refusal = undefined
    this.#hasTurn = false
    if (error === undefined) {
      this.#handWaiting()
      return
    }
    if (this.#handed !== undefined) rejectStatement(this.#handed, error)
    this.#handed = undefined
    this.#refuseWaiting(error)
  }
}
