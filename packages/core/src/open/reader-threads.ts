import { Worker } from 'node:worker_threads'
import type { ReadAnswer, Readers } from '../session/sqlite/slow-reads.ts'
import type { ReaderSettings, ReadFailure, ReadReport, ReadTask } from './read-task.ts'
import { READER_PROGRAM } from './reader-program.ts'

/** A read that somebody waits for. */
interface Waiting extends ReadTask {
  readonly signal: AbortSignal | undefined
  resolve(answer: ReadAnswer | undefined): void
  reject(error: unknown): void
}

/**
 * Threads that read, started when they are needed first. They keep the process alive while somebody waits for them. A thread that ends is
 * replaced, and its read goes back to the connection. If the first one cannot even begin, there are none from then on.
 */
export class ReaderThreads implements Readers {
  readonly #settings: ReaderSettings
  readonly #most: number
  readonly #warn: (message: string) => void
  readonly #threads = new Map<Worker, Waiting | undefined>()
  readonly #queue: Waiting[] = []
  #hasAnswered = false
  #isOff = false

  constructor(settings: ReaderSettings, most: number, warn: (message: string) => void) {
    this.#settings = settings
    this.#most = most
    this.#warn = warn
  }

  read(sql: string, parameters: readonly unknown[], signal?: AbortSignal): Promise<ReadAnswer | undefined> {
    if (this.#isOff) return Promise.resolve(undefined)
    const { promise, resolve, reject } = Promise.withResolvers<ReadAnswer | undefined>()
    this.#queue.push({ sql, parameters, signal, resolve, reject })
    this.#handOut()
    return promise
  }

  /** Ends the threads. A read that runs comes to its end first; its answer, and those of all that wait, are left to the connection. */
  async end(): Promise<void> {
    this.#turnOff()
    await Promise.all([...this.#threads.keys()].map((thread) => thread.terminate()))
  }

  #turnOff(): void {
    this.#isOff = true
    for (const { resolve } of this.#queue.splice(0)) resolve(undefined)
  }

  #handOut(): void {
    while (this.#queue.length > 0) {
      const thread = this.#freeThread()
      if (thread === undefined) return
      const waiting = this.#queue.shift()
      if (waiting?.signal?.aborted) waiting.reject(waiting.signal.reason)
      else if (waiting !== undefined) this.#send(thread, waiting)
    }
  }

  #send(thread: Worker, waiting: Waiting): void {
    this.#threads.set(thread, waiting)
    thread.ref()
    thread.postMessage({ sql: waiting.sql, parameters: waiting.parameters } satisfies ReadTask)
  }

  #freeThread(): Worker | undefined {
    for (const [thread, waiting] of this.#threads) if (waiting === undefined) return thread
    return this.#threads.size < this.#most ? this.#start() : undefined
  }

  #start(): Worker | undefined {
    const thread = this.#newThread()
    if (thread === undefined) return undefined
    this.#threads.set(thread, undefined)
    thread.unref()
    let reason = 'it ended'
    thread.on('message', (report: ReadReport) => this.#take(thread, report))
    thread.on('error', (error: Error) => {
      reason = error.message
    })
    thread.on('exit', () => this.#lose(thread, reason))
    return thread
  }

  /** Node may not be allowed to start threads. */
  #newThread(): Worker | undefined {
    try {
      // Not the process' own options: what they load at its start, such as tracing, is not for these threads.
      const options = { workerData: this.#settings, execArgv: [], name: 'fastify-crud reader' }
      return new Worker(READER_PROGRAM, { ...options, eval: typeof READER_PROGRAM === 'string' })
    } catch (error) {
      this.#giveUp((error as Error).message)
      return undefined
    }
  }

  #giveUp(reason: string): void {
    this.#turnOff()
    this.#warn(`fastify-crud: there are no threads for slow reads on SQLite, because one could not start: ${reason}`)
  }

  #take(thread: Worker, report: ReadReport): void {
    const waiting = this.#threads.get(thread)
    this.#threads.set(thread, undefined)
    thread.unref()
    this.#hasAnswered = true
    if (!('message' in report)) waiting?.resolve(report)
    else if (isOfThread(report)) waiting?.resolve(undefined)
    else waiting?.reject(Object.assign(new Error(report.message), { code: report.code }))
    this.#handOut()
  }

  #lose(thread: Worker, reason: string): void {
    const waiting = this.#threads.get(thread)
    this.#threads.delete(thread)
    if (!this.#isOff && !this.#hasAnswered) this.#giveUp(reason)
    waiting?.resolve(undefined)
    if (!this.#isOff) this.#handOut()
  }
}

/** The thread sees less than the connection, or could not read the file now. The connection may not fail. */
function isOfThread({ code, message }: ReadFailure): boolean {
  return code !== 'SQLITE_ERROR' ? code !== 'SQLITE_TOOBIG' : /^no such /.test(message)
}
