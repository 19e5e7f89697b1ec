import type { DatabaseConnection } from 'kysely'
import type { Prepared, Row, Values } from '../query/prepare.ts'
import type { Direct } from './drivers/handle.ts'
import { andThen, type PromiseOrValue, promised } from './promise-or-value.ts'

/**
 * One connection, on which statements run one after the other. This file is the one place that knows how the databases differ
 * in how they wait: SQLite returns values at once where the store may ask the database itself, PostgreSQL takes several
 * statements in one message.
 */
export interface Session {
  rows(statement: Prepared, values: Values): PromiseOrValue<readonly Row[]>
  /** What the only row has in its first column; undefined if there is no row. */
  value<Value = unknown>(statement: Prepared, values: Values): PromiseOrValue<Value | undefined>
  /** SQLite: the id that was given to the last row which the statement inserted. */
  insertedId(statement: Prepared, values: Values): PromiseOrValue<number>
  /** Statements without values that were run on it, by their text. */
  readonly plain: Map<string, Prepared>
  /** Statements that are given to it at one moment go in one message, and after one that fails none of them is done. */
  readonly pipelines: boolean
  /** SQLite: a transaction may begin as a reader, as nobody waits while it decides whether it writes. */
  readonly beginsAsReader: boolean
  /** The connection was there a moment ago. */
  hasJustAnswered(): boolean
}

/** How a session behaves where each statement is waited for. */
export const SEQUENTIAL = { pipelines: false, beginsAsReader: false, hasJustAnswered: () => false }

/** A session on one of Kysely's connections. */
export function kyselySession(connection: Pick<DatabaseConnection, 'executeQuery'>): Session {
  const execute = (statement: Prepared, values: Values) => {
    const { sql, query, queryId } = statement
    return connection.executeQuery<Row>({ sql, query, queryId, parameters: statement.parameters(values) })
  }
  return {
    ...SEQUENTIAL,
    plain: new Map(),
    rows: async (statement, values) => (await execute(statement, values)).rows,
    value: async <Value>(statement: Prepared, values: Values) => {
      const [row = {}] = (await execute(statement, values)).rows
      return Object.values(row)[0] as Value | undefined
    },
    insertedId: async (statement, values) => {
      const { insertId } = await execute(statement, values)
      if (insertId === undefined) throw new TypeError('the dialect does not tell which id a row was given')
      return Number(insertId)
    },
  }
}

/** A session on the SQLite database itself, which answers at once. */
export function directSession(direct: Direct): Session {
  return {
    ...SEQUENTIAL,
    beginsAsReader: direct.resetsStatements,
    plain: new Map(),
    rows: (statement, values) => direct.rows(statement.sql, statement.parameters(values)) as readonly Row[],
    value: <Value>(statement: Prepared, values: Values) =>
      direct.value(statement.sql, statement.parameters(values)) as Value | undefined,
    insertedId: (statement, values) => direct.insertedId(statement.sql, statement.parameters(values)),
  }
}

/**
 * Runs the second thing after the first: when it is done, or where the session pipelines right behind it, in the same message.
 * Returns what the second returns. Fails with the error of the first if there is one, never before both are over.
 */
export function pipeline<Result>(
  session: Pick<Session, 'pipelines'>,
  first: () => PromiseOrValue<unknown>,
  second: () => PromiseOrValue<Result>,
): PromiseOrValue<Result> {
  return session.pipelines ? inOneMessage(first, second) : andThen(first(), second)
}

async function inOneMessage<Result>(
  first: () => PromiseOrValue<unknown>,
  second: () => PromiseOrValue<Result>,
): Promise<Result> {
  const [former, latter] = await Promise.allSettled([promised(first), promised(second)])
  if (former.status === 'rejected') throw former.reason
  if (latter.status === 'rejected') throw latter.reason
  return latter.value
}
