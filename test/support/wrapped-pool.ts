import { defineEngine } from 'fastify-crud'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { OpenDatabase, TestDatabase } from './databases.ts'
import { statementLog } from './statement-log.ts'
import { emptyTables, type TestKysely } from './tables.ts'
import { testEngine } from './test-engine.ts'

/** What happens around each statement: `run` sends it and resolves to its result. */
type Around = (text: string, run: () => Promise<unknown>) => Promise<unknown>

/** A PostgreSQL database that is open already, over connections whose statements go through a function first. */
export function wrappedDatabase(first: OpenDatabase, around: Around): TestDatabase {
  const { name, location } = first
  return {
    name,
    async open() {
      const statements = statementLog()
      const dialect = new PostgresDialect({ pool: wrappedPool(location, around) })
      const db: TestKysely = new Kysely({ dialect, log: statements.logger })
      if (testEngine !== undefined) defineEngine(db, testEngine)
      return { name, db, location, statements, empty: () => emptyTables(name, db), close: () => db.destroy() }
    },
  }
}

function wrappedPool(connectionString: string, around: Around) {
  const pool = new pg.Pool({ connectionString, max: 3, options: '-c deadlock_timeout=10ms' })
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  // The same each time, as a driver's own are.
  const wrapped = new WeakMap<pg.PoolClient, pg.PoolClient>()
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect()
      const known = wrapped.get(client)
      if (known !== undefined) return known
      const query = (statement: string | pg.QueryConfig, values?: unknown[]) => {
        const text = typeof statement === 'string' ? statement : statement.text
        return around(text, () => client.query(statement, values))
      }
      const wrapping: pg.PoolClient = Object.create(client, { query: { value: query } })
      wrapped.set(client, wrapping)
      return wrapping
    },
    end: () => pool.end(),
  }
}
