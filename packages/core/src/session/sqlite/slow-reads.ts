import { LruCache } from '../../sql/text/lru-cache.ts'
import { isClientShape } from '../../sql/text/prepare.ts'
import type { SqliteDatabaseLike } from './shared-statement.ts'
import { prepareWeighed } from './shared-statement.ts'

/** Threads that read from the same database, each on a connection of its own. */
export interface Readers {
  /**
   * What the only row of a query has in its first column. Undefined in place of an answer if no thread can give one:
   * the connection itself has to. A read whose signal is aborted before it begins is not begun: it fails with the
   * signal's reason.
   */
  read(sql: string, parameters: readonly unknown[], signal?: AbortSignal): Promise<ReadAnswer | undefined>
}

export interface ReadAnswer {
  readonly value: unknown
  /** How long SQLite took. */
  readonly ms: number
}

/** What is known of the reads of one text. `suspect`: one of them was slow, which may have been the machine. */
type Speed = 'scans' | 'slow' | 'suspect' | 'quick'

const SLOW_MS = 50

/** Texts of which something is known. */
const MOST_KNOWN = 1_000

/** A file of fewer pages, 4 MB by default, is read in no time, by a query that costs no more than {@link CHEAP}: one of
 * twice its cost takes twice as long. */
const FEW_PAGES = 1_000
const CHEAP = 10

/** Pages of the file; -1 if other databases are attached, or there are temporary tables: the threads do not see
 * these. */
const PAGES = `select case when (select count(*) from pragma_database_list) > 1 then -1
  else (select page_count from pragma_page_count) end as pages`

/** Knows which reads may hold up the process, and has the threads do them. */
export class SlowReads {
  readonly #database: SqliteDatabaseLike
  readonly #readers: Readers
  readonly #speeds = new LruCache<string, Speed>(MOST_KNOWN)
  readonly #pages: () => number

  constructor(database: SqliteDatabaseLike, readers: Readers) {
    this.#database = database
    this.#readers = readers
    const pages = prepareWeighed(database, PAGES)
    this.#pages = () => (pages.all([])[0] as { pages: number }).pages
  }

  /** Does a read by a thread, if it may take long. Undefined: the connection has to do it. */
  async value(
    sql: string,
    parameters: readonly unknown[],
    { signal, cost = 0 }: { readonly signal?: AbortSignal | undefined; readonly cost?: number } = {},
  ): Promise<ReadAnswer | undefined> {
    const speed = this.#speedOf(sql, parameters, cost)
    if (speed !== 'scans' && speed !== 'slow') return undefined
    const answer = await this.#readers.read(sql, parameters, signal)
    if (speed === 'slow' && answer !== undefined && answer.ms < SLOW_MS) this.#speeds.delete(sql)
    return answer
  }

  /** Whether {@link value} may know of the text, which is to be found out without a promise. */
  concerns(sql: string): boolean {
    return isClientShape(sql) || this.#speeds.has(sql)
  }

  /** The connection has done a read. */
  note(sql: string, ms: number): void {
    if (ms < SLOW_MS) return
    const known = this.#speeds.get(sql)
    if (known === undefined || known === 'quick') this.#speeds.set(sql, 'suspect')
    else if (known === 'suspect') this.#speeds.set(sql, 'slow')
  }

  #speedOf(sql: string, parameters: readonly unknown[], cost: number): Speed {
    const known = this.#speeds.get(sql)
    if (known === undefined && !isClientShape(sql)) return 'quick'
    const pages = this.#pages()
    const isSmall = pages * Math.max(cost / CHEAP, 1) < FEW_PAGES
    if (pages < 0 || (known === undefined && isSmall)) return 'quick'
    const speed = known ?? (this.#scans(sql, parameters) ? 'scans' : 'quick')
    this.#speeds.set(sql, speed)
    return speed
  }

  /**
   * Whether SQLite reads all rows of a table or an index. Its program then rewinds a cursor of it. `explain query plan`
   * says less: there a table and a subquery may have the same name.
   */
  #scans(sql: string, parameters: readonly unknown[]): boolean {
    const program = prepareWeighed(this.#database, `explain ${sql}`).all(parameters) as readonly Instruction[]
    const opened = new Set(program.filter(({ opcode }) => opcode === 'OpenRead').map(({ p1 }) => p1))
    return program.some(({ opcode, p1 }) => (opcode === 'Rewind' || opcode === 'Last') && opened.has(p1))
  }
}

/** A row of `explain` (https://www.sqlite.org/opcode.html). */
interface Instruction {
  readonly opcode: string
  /** The cursor, where the instruction is about one. */
  readonly p1: number
}
