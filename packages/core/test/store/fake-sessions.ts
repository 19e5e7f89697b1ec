import {
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { kyselySession, type Session, type SessionTraits } from '../../src/session/session.ts'
import type { SessionPool } from '../../src/session/session-pool.ts'
import type { AnyKysely } from '../../src/sql/dialect/database.ts'
import type { Prepared, Row } from '../../src/sql/text/prepare.ts'

/** Answers nothing, but refuses to begin a transaction within another one, as a database does. */
class NoDriver extends DummyDriver {
  override acquireConnection = async (): Promise<DatabaseConnection> => {
    let isOpen = false
    return {
      executeQuery: async ({ sql }) => {
        if (sql === 'begin' && isOpen) throw new Error('cannot start a transaction within a transaction')
        isOpen = sql === 'begin'
        return { rows: [] }
      },
      streamQuery: () => {
        throw new Error('nothing is streamed')
      },
    }
  }
}

/** Compiles statements for a database that is not there. */
export function noDatabase(name: 'sqlite' | 'postgres'): AnyKysely {
  return new Kysely({
    dialect: {
      createAdapter: () => (name === 'sqlite' ? new SqliteAdapter() : new PostgresAdapter()),
      createDriver: () => new NoDriver(),
      createIntrospector: (db) => (name === 'sqlite' ? new SqliteIntrospector(db) : new PostgresIntrospector(db)),
      createQueryCompiler: () => (name === 'sqlite' ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
    },
  })
}

/** Answers a statement with its rows, or fails. `name`: what the log calls it. `time`: how many of that name there were before. */
export type Script = (name: string, time: number) => readonly Row[] | Error

/** A session that answers by a script. `log`: the names of its statements, in order. */
export function fakeSession(script: Script, traits: Partial<SessionTraits>): { session: Session; log: string[] } {
  const log: string[] = []
  let failed: Error | undefined
  const rows = async (statement: Prepared): Promise<readonly Row[]> => {
    const name = nameOf(statement.sql)
    if (name.startsWith('begin') || name === 'rollback') failed = undefined
    // As a server does: behind a statement that failed, nothing is done until the transaction ends.
    if (failed !== undefined) throw failed
    const time = log.filter((one) => one === name).length
    log.push(name)
    const answer = script(name, time)
    if (!(answer instanceof Error)) return answer
    failed = answer
    throw answer
  }
  const unused = () => {
    throw new Error('a fake session has no connection')
  }
  const session: Session = {
    ...kyselySession({ executeQuery: unused, streamQuery: unused }, traits),
    rows,
    value: async <Value>(statement: Prepared) =>
      Object.values((await rows(statement))[0] ?? {})[0] as Value | undefined,
    run: async (statement) => {
      const [row = { id: 1 }] = await rows(statement)
      return { changes: undefined, insertId: Number(Object.values(row)[0]) }
    },
  }
  return { session, log }
}

/** Has all work done on that session. */
export function poolOf(session: Session): SessionPool {
  return {
    use: (requestContext, work) => {
      session.requestContext = requestContext
      return work(session)
    },
    value: (statement, values) => session.value(statement, values),
  }
}

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/skip locked/, 'lock if free'],
  [/for no key update/, 'lock'],
  [/the record changed/, 'compare'],
  [/^select 1 as one from/, 'look'],
  [/^select/, 'read'],
  [/^(?:with|insert|update|delete)/, 'run'],
  [/^begin isolation level/, 'begin'],
]

function nameOf(sql: string): string {
  return NAMES.find(([pattern]) => pattern.test(sql))?.[1] ?? sql
}
