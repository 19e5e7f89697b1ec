import { createHash } from 'node:crypto'

/** What is used of a better-sqlite3 database. */
export interface SqliteDatabaseLike<Statement extends SqliteStatementLike = SqliteStatementLike> {
  prepare(sql: string): Statement
  close(): void
}

export interface SqliteStatementLike {
  readonly reader: boolean
  all(parameters: readonly unknown[]): unknown[]
  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  iterate(parameters: readonly unknown[]): IterableIterator<unknown>
}

/** What is used of a pool of the `pg` package. */
export interface PostgresPoolLike<Client extends PostgresClientLike = PostgresClientLike> {
  readonly options: object
  connect(): Promise<Client>
  end(): Promise<void>
  on?(event: 'error', listener: () => void): unknown
}

export interface PostgresClientLike {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own `query` has a dozen overloads, of which two are used
  query(...args: any[]): any
  /** The driver sends a query before the one ahead of it is answered. */
  readonly pipeline?: boolean
  release(...args: never[]): void
  on?(event: 'error', listener: () => void): unknown
}

/** As many different statements are kept on each connection; further ones are prepared each time, as without this. */
const MOST_KEPT = 1_000

/** A statement is kept from this use on: one that does not come again should not take another one's place. */
const USES_BEFORE = 3
const MOST_COUNTED = 10_000

/** Tells which statements are worth keeping. */
function usesOf(): (sql: string) => boolean {
  const uses = new Map<string, number>()
  return (sql) => {
    const count = (uses.get(sql) ?? 0) + 1
    if (count >= USES_BEFORE) {
      uses.delete(sql)
      return true
    }
    if (uses.size >= MOST_COUNTED) uses.clear()
    uses.set(sql, count)
    return false
  }
}

/**
 * Makes a database driver keep the statements that it has prepared, which is most of what a query costs.
 *
 * Goes in: what a Kysely dialect takes, a better-sqlite3 database or a pool of `pg`. Comes out: the same to Kysely,
 * whose statements are prepared once for each connection. The driver itself is left as it is.
 *
 * On PostgreSQL these are named prepared statements. If the pool has `pipeline: true` (`pg` 8.23 or later), the store sends
 * what need not wait for an answer right behind what is ahead of it. A pooler in front of it that gives each transaction
 * another connection may not carry named statements: there, give Kysely the pool itself. A connection that is lost fails
 * the query that it is in use for and nothing else: `pg` ends the process where nobody listens to that.
 *
 * @example
 * const sqlite = new Kysely({ dialect: new SqliteDialect({ database: keepStatements(new Database('app.sqlite')) }) })
 * const pool = new Pool({ connectionString, pipeline: true })
 * const postgres = new Kysely({ dialect: new PostgresDialect({ pool: keepStatements(pool) }) })
 */
export function keepStatements<Statement extends SqliteStatementLike>(
  database: SqliteDatabaseLike<Statement>,
): SqliteDatabaseLike<SqliteStatementLike>
export function keepStatements<Client extends PostgresClientLike>(
  pool: PostgresPoolLike<Client>,
): PostgresPoolLike<Client>
export function keepStatements(driver: SqliteDatabaseLike | PostgresPoolLike): SqliteDatabaseLike | PostgresPoolLike {
  return 'prepare' in driver ? keepSqlite(driver) : keepPostgres(driver)
}

function keepSqlite(database: SqliteDatabaseLike): SqliteDatabaseLike {
  const kept = new Map<string, SqliteStatementLike>()
  const isWorthKeeping = usesOf()
  return {
    prepare(sql) {
      let statement = kept.get(sql)
      if (statement === undefined) {
        statement = database.prepare(sql)
        if (kept.size < MOST_KEPT && isWorthKeeping(sql))
          kept.set(sql, new KeptStatement(statement, () => database.prepare(sql)))
      }
      return statement
    },
    close: () => database.close(),
  }
}

/** A statement that is iterated is busy until the end: each iteration gets one of its own. */
class KeptStatement implements SqliteStatementLike {
  readonly reader: boolean
  readonly #statement: SqliteStatementLike
  readonly #prepare: () => SqliteStatementLike

  constructor(statement: SqliteStatementLike, prepare: () => SqliteStatementLike) {
    this.reader = statement.reader
    this.#statement = statement
    this.#prepare = prepare
  }

  all(parameters: readonly unknown[]): unknown[] {
    return this.#statement.all(parameters)
  }

  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.#statement.run(parameters)
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#prepare().iterate(parameters)
  }
}

/** What {@link keepStatements} answers itself where a query is sent before the one ahead of it is answered. */
export const IS_PIPELINED = 'select false as pipelined'

function keepPostgres(pool: PostgresPoolLike): PostgresPoolLike {
  const names = new Map<string, string>()
  const isWorthKeeping = usesOf()
  const nameOf = (text: string): string | undefined => {
    let name = names.get(text)
    if (name === undefined && names.size < MOST_KEPT && isWorthKeeping(text)) {
      // The same text has the same name, whoever else names statements on these connections.
      name = `crud_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
      names.set(text, name)
    }
    return name
  }
  const kept = new WeakMap<PostgresClientLike, PostgresClientLike>()
  const keep = (client: PostgresClientLike): PostgresClientLike => {
    const query = (...args: unknown[]) => {
      const [text, values] = args
      // Without values it may be several statements, which cannot be prepared.
      const hasValues = Array.isArray(values) && values.length > 0 && args.length === 2
      const name = typeof text === 'string' && hasValues ? nameOf(text) : undefined
      if (name !== undefined) return client.query({ name, text, values })
      if (text === IS_PIPELINED && client.pipeline === true) return { command: 'SELECT', rows: [{ pipelined: true }] }
      return client.query(...args)
    }
    // The query that was running fails, and the pool sees that the connection is gone.
    client.on?.('error', () => {})
    return Object.create(client, { query: { value: query } })
  }
  // A pool replaces the connections that it loses while nobody uses them.
  pool.on?.('error', () => {})
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect()
      const known = kept.get(client)
      if (known !== undefined) return known
      const keeping = keep(client)
      kept.set(client, keeping)
      return keeping
    },
    end: () => pool.end(),
  }
}
