import type { PipelineClient } from './pipeline-client.ts'
import { isFatal, isReadTimeout } from './server-errors.ts'

/** The server ignores statements until the transaction ends, as one of them has failed. */
const FAILED_TRANSACTION = '25P02'

/** Closes a connection that nobody may use again. A pool replaces it. */
export class ConnectionGuard {
  /** A session of the store holds the connection. */
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
      if (isFatal(error)) this.#close()
    })
  }

  /** A session begins to hold the connection. A failed transaction that somebody has left there is no place for its work. */
  hold(): void {
    this.isHeld = true
    this.#statusBefore = this.#status
    if (this.#status === 'E') this.#close()
  }

  /** The session is done. Its transaction must be over, too. */
  release(): void {
    this.isHeld = false
    if (this.#status !== 'I' && this.#statusBefore === 'I') this.#close()
  }

  /** A message of the session has failed. The session sends nothing but `rollback` in a transaction that has failed. */
  closeAfter(error: unknown): void {
    const isFailedTransaction = this.isHeld && (error as { code?: unknown }).code === FAILED_TRANSACTION
    if (isFailedTransaction || isReadTimeout(error)) this.#close()
  }

  #close(): void {
    this.#client.end().catch(() => {})
  }
}
