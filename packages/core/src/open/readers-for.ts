import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { warnByProcess } from './open-options.ts'
import { ReaderThreads } from './reader-threads.ts'
import { type OpenSqliteOptions, sqliteDriverOptions } from './sqlite-options.ts'
import type { SqliteDatabase } from './sqlite-pragmas.ts'

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

/** The main file of better-sqlite3, as a thread has to load it by itself. A bundle may not know where it is itself, but where the process runs. */
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
