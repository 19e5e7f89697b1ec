import type { PipelineClient } from './pipeline-client.ts'
import { isFatal, isReadTimeout } from './server-errors.ts'

/** The server ignores statements until the transaction ends, as one of them has failed. */
const FAILED_TRANSACTION = '25P02'

/** Knows who holds a connection, and closes one that must not be used again. A pool replaces it. */
export class ConnectionGuard {
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

  /** A message has failed. A holder sends nothing but `rollback` in a transaction that has failed, so this is another one's. */
  closeAfter(error: unknown): void {
    const isFailedTransaction = this.isHeld && (error as { code?: unknown }).code === FAILED_TRANSACTION
    if (isFailedTransaction || isReadTimeout(error)) this.close()
  }

  close(): void {
    this.#client.end().catch(() => {})
  }
}
