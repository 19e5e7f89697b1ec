import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { OpenDatabase, TestDatabase } from '../../support/databases.ts'
import { statementLog } from '../../support/statement-log.ts'
import { emptyTables, type TestKysely } from '../../support/tables.ts'

/** Stops a service in front of one of its statements, so that others come in between. */
export interface Pauses {
  /** The service is going to stop before its n-th statement from now, counted from 1. */
  stopBefore(n: number): Stop
}

export interface Stop {
  /** Resolves when the service has stopped there; never if it sends fewer statements. */
  readonly reached: Promise<void>
  /** Lets it go on; it does not stop again. */
  go(): void
}

/** A PostgreSQL database that is open already, for a service that can be stopped in front of each statement. */
export function pausing(first: OpenDatabase): { readonly kind: TestDatabase; readonly pauses: Pauses } {
  let before = (): Promise<void> => Promise.resolve()
  const pauses: Pauses = {
    stopBefore(n) {
      const reached = Promise.withResolvers<void>()
      const gone = Promise.withResolvers<void>()
      let count = 0
      before = async () => {
        count += 1
        if (count !== n) return
        reached.resolve()
        await gone.promise
      }
      return {
        reached: reached.promise,
        go() {
          before = () => Promise.resolve()
          gone.resolve()
        },
      }
    },
  }
  const { name, location } = first
  const kind: TestDatabase = {
    name,
    async open() {
      const statements = statementLog()
      const pool = pausingPool(location, () => before())
      const db: TestKysely = new Kysely({ dialect: new PostgresDialect({ pool }), log: statements.logger })
      return { name, db, location, statements, empty: () => emptyTables(name, db), close: () => db.destroy() }
    },
  }
  return { kind, pauses }
}

function pausingPool(connectionString: string, before: () => Promise<void>) {
  const pool = new pg.Pool({ connectionString, max: 3, options: '-c deadlock_timeout=10ms' })
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect()
      const query = async (...args: Parameters<pg.PoolClient['query']>) => {
        await before()
        return client.query(...args)
      }
      return Object.create(client, { query: { value: query } })
    },
    end: () => pool.end(),
  }
}
