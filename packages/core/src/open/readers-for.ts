import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type SqliteDatabase as AnySqlite, type Driver, SqliteDialect } from 'kysely'
import type { ReadAnswer, Readers } from '../session/sqlite/slow-reads.ts'
import { driverOptions, type OpenOptions, warnByProcess } from './open-options.ts'
import type { ReaderSettings, ReadFailure, ReadReport, ReadTask } from './read-task.ts'
import { READER_PROGRAM } from './reader-program.ts'
import type { Pragmas, SqliteDatabase } from './sqlite-pragmas.ts'

const DEFAULT_READERS = 2

/** Settings of how the file is written. The file has its journal mode already. */
const OF_WRITERS = ['journal_mode', 'synchronous', 'locking_mode']

/** The threads that read from a file; undefined if there are to be none. */
export function readersFor(database: SqliteDatabase, options: OpenSqliteOptions): ReaderThreads | undefined {
  const { readers = DEFAULT_READERS, pragmas = {}, warn = warnByProcess } = options
  if (!Number.isInteger(readers) || readers < 0)
    throw new TypeError(`openSqlite: readers: '${readers}' is not a number of threads; give 0 for none`)
  if (readers === 0) return undefined
  const none = (reason: string): undefined => {
    warn(`fastify-crud: there are no threads for slow reads on SQLite, because ${reason}`)
  }
  const reason = reasonAgainst(database, options)
  // An application that did not ask for threads needs no warning.
  if (reason !== undefined) return options.readers === undefined ? undefined : none(reason)
  const module = driverModule()
  if (module === undefined) return none(NO_MODULE)
  const { fileMustExist: _, readonly: __, ...driver } = sqliteDriverOptions(options)
  const ofReaders = Object.fromEntries(Object.entries(pragmas).filter(([name]) => !OF_WRITERS.includes(name)))
  return new ReaderThreads({ file: resolve(database.name), pragmas: ofReaders, module, driver }, readers, warn)
}

const NO_MODULE =
  'better-sqlite3 cannot be found from the bundle: leave it out of the bundle (external), and install it beside it'

/** The main file of better-sqlite3, as a thread has to load it by itself. A bundle may not know where it is itself, but
 * where the process runs. */
function driverModule(): string | undefined {
  for (const from of [import.meta.url, join(process.cwd(), 'index.js')]) {
    try {
      return createRequire(from).resolve('better-sqlite3')
    } catch {
      // Not there: the next one may know.
    }
  }
  return undefined
}

function reasonAgainst(database: SqliteDatabase, { direct, log, verbose, pragmas }: OpenSqliteOptions) {
  const mode = database.pragma('journal_mode', { simple: true })
  if (mode === 'memory') return 'a database in memory has one connection'
  if (mode !== 'wal') return `the file is in journal mode '${mode}', in which reads would keep others from writing`
  if (String(pragmas?.locking_mode).toLowerCase() === 'exclusive')
    return 'locking_mode lets no other connection use the file'
  if (direct === false) return "with 'direct: false', each statement goes through Kysely's connection"
  if (log !== undefined) return "with 'log', each statement goes through Kysely's connection"
  if (verbose !== undefined) return "'verbose' would not see what they read"
  return undefined
}

/**
 * While SQLite waits for another process, nothing else in this one runs. So it is short, and the store tries again by
 * itself for some seconds.
 */
const BUSY_TIMEOUT_MS = 500

/** Kysely's options and those of better-sqlite3. A database that is open already takes `direct` and {@link OpenOptions}
 * only. */
export interface OpenSqliteOptions extends OpenOptions {
  /**
   * The service asks the database itself where nothing is open on it, rather than wait for Kysely's one connection.
   * `false` if something of yours wraps that connection to see every statement. Default `true`.
   */
  readonly direct?: boolean
  /**
   * The most threads for reads that would hold up all others: lists that find their rows by no index, and what took
   * more than 50 ms before. They start when they are needed, with a file in WAL mode, and not with `direct: false`,
   * `log` or `verbose`. 0: none. Default 2.
   */
  readonly readers?: number
  /** SQLite's settings. Default: `journal_mode` WAL, `synchronous` NORMAL (FULL without WAL), `foreign_keys` on. */
  readonly pragmas?: Pragmas
  /** How long a statement waits for another process that writes, in ms. Default 500. */
  readonly timeout?: number
  /** Default `false`. */
  readonly readonly?: boolean
  /** Fails if the file is not there, rather than make it. Default `false`. */
  readonly fileMustExist?: boolean
  /** Is given the text of every statement. */
  readonly verbose?: (message?: unknown, ...more: unknown[]) => void
  /** Where better-sqlite3's binary is, if not in its package. */
  readonly nativeBinding?: string
}

/** The options that are for better-sqlite3, with their defaults. */
export function sqliteDriverOptions(options: OpenSqliteOptions): Readonly<Record<string, unknown>> {
  return { timeout: BUSY_TIMEOUT_MS, ...driverOptions(options, ['direct', 'readers', 'pragmas']) }
}

/** A read that somebody waits for. */
interface Waiting extends ReadTask {
  readonly signal: AbortSignal | undefined
  resolve(answer: ReadAnswer | undefined): void
  reject(error: unknown): void
}

/**
 * Threads that read, started when they are needed first. They keep the process alive while somebody waits for them. A
 * thread that ends is replaced, and its read goes back to the connection. If the first one cannot even begin, there are
 * none from then on.
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

  /** Ends the threads. A read that runs comes to its end first; its answer, and those of all that wait, are left to the
   * connection. */
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

/** Ends the threads before it closes the database: the last connection to a file in WAL mode tidies up, and must be
 * able to write. */
export class SqliteDialectWithReaders extends SqliteDialect {
  readonly #readers: ReaderThreads | undefined

  constructor(database: AnySqlite, readers: ReaderThreads | undefined) {
    super({ database })
    this.#readers = readers
  }

  override createDriver(): Driver {
    const driver = super.createDriver()
    const close = driver.destroy.bind(driver)
    return Object.assign(driver, {
      destroy: async () => {
        await this.#readers?.end()
        await close()
      },
    })
  }
}
