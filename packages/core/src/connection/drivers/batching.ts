import { Batch, type BatchClient, type BatchResult, type BatchStatement, type KeptOnServer } from './batch.ts'
import { isLastWord } from './last-word.ts'
import { isReadTimeout } from './read-timeout.ts'

/** Under load a connection answers more often than that; else another round trip is no matter. */
const MOMENT_MS = 50

/** Sends statements to one client in batches. */
export class Batching {
  /**
   * What is given at one moment goes together. What is given later waits until that is over, and is refused with its error
   * if it fails. Off: each statement is a batch of its own, whatever comes of others.
   */
  isOn = false
  readonly #client: BatchClient
  readonly #kept: KeptOnServer = new Map()
  #waiting: BatchStatement[] = []
  #isUnderWay = false
  #answeredAt = Number.NEGATIVE_INFINITY

  constructor(client: BatchClient) {
    this.#client = client
    // Whatever it was that asked. Its connection may be there for a while yet, and takes messages.
    client.connection.on('errorMessage', (error) => {
      if (isLastWord(error)) this.#giveUp()
    })
  }

  /** The connection was there a moment ago. */
  hasJustAnswered(): boolean {
    return performance.now() - this.#answeredAt < MOMENT_MS
  }

  execute(text: string, name: string, values: readonly (string | null)[]): Promise<BatchResult> {
    const result = new Promise<BatchResult>((resolve, reject) => {
      const statement = { text, name, values, resolve, reject }
      if (this.isOn) this.#wait(statement)
      else this.#send([statement], true, () => {})
    })
    return result.catch((error) => {
      // Otherwise it leads to the driver's socket, not to who wanted the statement.
      Error.captureStackTrace(error)
      throw error
    })
  }

  #wait(statement: BatchStatement): void {
    // As soon as nothing that is under way in this process can add to them.
    if (this.#waiting.push(statement) === 1 && !this.#isUnderWay) process.nextTick(() => this.#sendWaiting())
  }

  #sendWaiting(): void {
    const statements = this.#waiting
    this.#waiting = []
    this.#isUnderWay = true
    this.#send(statements, false, (error) => {
      this.#isUnderWay = false
      if (this.#waiting.length === 0) return
      if (error === undefined) return this.#sendWaiting()
      for (const { reject } of this.#waiting) reject(error)
      this.#waiting = []
    })
  }

  #send(statements: readonly BatchStatement[], isTransaction: boolean, whenOver: (error: unknown) => void): void {
    const batch = new Batch(this.#client, this.#kept, statements, isTransaction, (error) => {
      if (error === undefined) this.#answeredAt = performance.now()
      else if (isReadTimeout(error)) this.#giveUp()
      whenOver(error)
    })
    this.#client.query(batch)
  }

  /** Nobody may be given this connection again. That it ends the pool sees for itself, but not before it does. */
  #giveUp(): void {
    this.#client.end().catch(() => {})
  }
}

/** A value as the server reads it, as `pg` would write it; undefined for those that `pg` has rules of its own for. */
export function textOf(value: unknown): string | null | undefined {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'undefined':
      return null
    default:
      return value === null ? null : undefined
  }
}

/** A client that takes queries of one's own. With `pipeline` it takes only those of the driver; `pg-native` takes none. */
export function takesBatches(client: object): client is BatchClient {
  if (!('getTypeParser' in client && 'connection' in client) || ('pipeline' in client && client.pipeline === true)) {
    return false
  }
  const { connection } = client
  if (
    typeof connection !== 'object' ||
    connection === null ||
    !('parse' in connection && 'on' in connection && 'stream' in connection)
  ) {
    return false
  }
  const { stream } = connection
  return typeof stream === 'object' && stream !== null && 'cork' in stream
}
