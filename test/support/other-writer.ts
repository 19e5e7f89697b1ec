import { setTimeout as wait } from 'node:timers/promises'
import SqliteDriver from 'better-sqlite3'
import pg from 'pg'
import type { OpenDatabase } from './databases.ts'
import { testEngine } from './test-engine.ts'

/** Somebody else who writes to the same database, in a transaction that stays open as long as a test wants. */
export interface OtherWriter {
  /** Runs a statement in the transaction. */
  run(statement: string): Promise<void>
  /** PostgreSQL: resolves as soon as so many sessions wait for this one (default 1). */
  untilAwaited(sessions?: number): Promise<void>
  /** PostgreSQL: resolves as soon as this one waits for another session. */
  untilWaits(): Promise<void>
  end(how: 'commit' | 'rollback'): Promise<void>
}

/** Begins a transaction on a connection of its own. On SQLite it is the one that may write. */
export async function otherWriter({ name, location }: OpenDatabase): Promise<OtherWriter> {
  if (name === 'sqlite') {
    const database = new SqliteDriver(location)
    database.exec('begin immediate')
    return {
      run: async (statement) => void database.exec(statement),
      untilAwaited: async () => {},
      untilWaits: async () => {},
      async end(how) {
        database.exec(how)
        database.close()
      },
    }
  }
  const client = new pg.Client(location)
  await client.connect()
  await client.query(testEngine?.isolation === undefined ? 'begin' : `begin isolation level ${testEngine.isolation}`)
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return {
    run: async (statement) => void (await client.query(statement)),
    untilAwaited: (sessions = 1) =>
      untilThereAre(
        location,
        sessions,
        `${rows[0]?.pid} = any(pg_blocking_pids(pid)) and datname = current_database()`,
      ),
    untilWaits: () => untilThereAre(location, 1, `pid = ${rows[0]?.pid} and wait_event_type = 'Lock'`),
    async end(how) {
      await client.query(how)
      await client.end()
    },
  }
}

async function untilThereAre(location: string, sessions: number, condition: string): Promise<void> {
  const client = new pg.Client(location)
  await client.connect()
  try {
    for (let tries = 0; tries < 500; tries++) {
      const { rows } = await client.query(`select 1 from pg_stat_activity where ${condition}`)
      if (rows.length >= sessions) return
      await wait(5)
    }
    throw new Error(`there are not ${sessions} sessions that wait`)
  } finally {
    await client.end()
  }
}
