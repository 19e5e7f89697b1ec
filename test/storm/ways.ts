import SqliteDriver from 'better-sqlite3'
import { keepStatements } from 'fastify-crud'
import { type Dialect, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'

/** How a worker is connected to the database. */
export type Way = SqliteWay | PostgresWay

interface Common {
  readonly location: string
  /** With `keepStatements`. */
  readonly kept: boolean
  /** Requests at the same time. */
  readonly clients: number
}

export interface SqliteWay extends Common {
  readonly database: 'sqlite'
  /** The store asks the database itself. */
  readonly direct: boolean
  /** How long a statement waits for another writer, in ms: if only a little, the waiting is left to the service. */
  readonly timeout: number
}

export interface PostgresWay extends Common {
  readonly database: 'postgres'
  /** Connections of the pool. */
  readonly max: number
  /** Whether the statements that `keepStatements` prepares have names. */
  readonly named: boolean
  /** More of the pool's options, in ms. */
  readonly timeouts: Pick<
    pg.PoolConfig,
    'statement_timeout' | 'lock_timeout' | 'query_timeout' | 'idle_in_transaction_session_timeout'
  >
}

/** Workers that run one after the other take these in turn. */
export function sqliteWays(location: string): SqliteWay[] {
  const plain: SqliteWay = {
    database: 'sqlite',
    location,
    kept: false,
    clients: 4,
    direct: false,
    timeout: 2_000,
  }
  const kept = { ...plain, kept: true }
  const direct = { ...kept, direct: true }
  return [plain, kept, { ...plain, timeout: 5 }, direct, { ...kept, timeout: 5 }, { ...direct, timeout: 5 }]
}

/** Workers that run one after the other take these in turn. The short storm of the tests has about six workers. */
export function postgresWays(location: string): PostgresWay[] {
  const plain: PostgresWay = {
    database: 'postgres',
    location,
    kept: false,
    clients: 4,
    max: 4,
    named: true,
    timeouts: {},
  }
  const kept = { ...plain, kept: true }
  const few = { clients: 12, max: 2 }
  return [
    { ...plain, timeouts: STRICT },
    { ...kept, ...few },
    plain,
    kept,
    { ...kept, timeouts: STRICT },
    { ...plain, ...few },
  ]
}

/** By way of a pooler, which gives each transaction another connection; `kept` by one that knows named statements, if any. */
export function pooledWays(plain: string, kept: string | undefined): PostgresWay[] {
  const way: PostgresWay = {
    database: 'postgres',
    location: plain,
    kept: false,
    clients: 4,
    max: 4,
    named: true,
    timeouts: {},
  }
  const unnamed = { ...way, kept: true, named: false }
  return kept === undefined ? [unnamed, way] : [unnamed, way, { ...way, location: kept, kept: true }]
}

/** So short that some statements take longer. */
const STRICT = {
  statement_timeout: 60,
  lock_timeout: 15,
  query_timeout: 100,
  idle_in_transaction_session_timeout: 20,
}

export function dialectOf(way: Way): Dialect {
  if (way.database === 'sqlite') {
    const database = new SqliteDriver(way.location, { timeout: way.timeout })
    database.pragma('synchronous = NORMAL')
    return new SqliteDialect({ database: way.kept ? keepStatements(database, { direct: way.direct }) : database })
  }
  const { location, max, named, timeouts } = way
  const pool = new pg.Pool({ connectionString: location, max, application_name: 'storm', ...timeouts })
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  return new PostgresDialect({ pool: way.kept ? keepStatements(pool, { named }) : pool })
}
