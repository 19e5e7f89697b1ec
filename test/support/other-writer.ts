import { setTimeout as wait } from 'node:timers/promises'
import SqliteDriver from 'better-sqlite3'
import pg from 'pg'
import type { OpenDatabase } from './databases.ts'

/** Somebody else who writes to the same database, in a transaction that stays open as long as a test wants. */
export interface OtherWriter {
  /** Runs a statement in the transaction. */
  run(statement: string): Promise<void>
  end(how: 'commit' | 'rollback'): Promise<void>
}

/** Begins a transaction on a connection of its own. On SQLite it is the one that may write. */
export async function otherWriter({ name, location }: OpenDatabase): Promise<OtherWriter> {
  if (name === 'sqlite') {
    const database = new SqliteDriver(location)
    database.exec('begin immediate')
    return {
      run: async (statement) => void database.exec(statement),
      async end(how) {
        database.exec(how)
        database.close()
      },
    }
  }
  const client = new pg.Client(location)
  await client.connect()
  await client.query('begin')
  return {
    run: async (statement) => void (await client.query(statement)),
    async end(how) {
      await client.query(how)
      await client.end()
    },
  }
}

/** Resolves as soon as so many sessions of a PostgreSQL database wait for a lock. */
export async function untilWaiting({ location }: OpenDatabase, count: number): Promise<void> {
  const client = new pg.Client(location)
  await client.connect()
  try {
    for (let tries = 0; tries < 500; tries++) {
      const { rows } = await client.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      if ((rows[0]?.waiting ?? 0) >= count) return
      await wait(5)
    }
    throw new Error(`there are not ${count} sessions that wait`)
  } finally {
    await client.end()
  }
}
