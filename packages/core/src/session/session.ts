import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DatabaseConnection } from 'kysely'
import type { Prepared, Row, SlotValues } from '../sql/text/prepare.ts'
import type { SetSettings } from './session-settings.ts'
import type { DirectDatabase, Done } from './sqlite/direct-database.ts'

/**
 * One connection, on which statements run one after the other. This file is the one place that knows how the databases
 * differ in how they wait: SQLite answers at once where the store may call the database itself, PostgreSQL takes
 * several statements in one message.
 */
export interface Session {
  rows(statement: Prepared, values: SlotValues): Promise<readonly Row[]>
  /** What the only row has in its first column; undefined if there is no row. */
  value<Value = unknown>(statement: Prepared, values: SlotValues): Promise<Value | undefined>
  /** Runs a statement that returns no rows. */
  run(statement: Prepared, values: SlotValues): Promise<Done>
  /** Kysely's connection. */
  readonly connection: DatabaseConnection
  /** What the code that called the store handed in for the request that uses the session. */
  requestContext: unknown
  /** What each transaction sets as it begins, for the request that uses the session; undefined: nothing. */
  settings: SetSettings | undefined
  /** Is told the position in the server's log of each transaction that commits; undefined: nobody asks. */
  notePosition: ((position: string) => void) | undefined
  /** Statements without values that were run on it, by their text. */
  readonly commands: Map<string, Prepared>
  /** Statements that are started together go in one message, and after one that fails none of them is done. */
  readonly pipelines: boolean
  /** SQLite: a transaction may begin as a reader, as no time passes while it decides whether it writes. */
  readonly beginsAsReader: boolean
  /** The connection was there a moment ago. */
  hasJustAnswered(): boolean
  /** Ends the statement that runs, and the connection with it; undefined where the driver cannot do that. */
  readonly cancel: (() => Promise<void>) | undefined
}

/** How a session may differ from one on which each statement is waited for. */
export type SessionTraits = Pick<Session, 'pipelines' | 'beginsAsReader' | 'hasJustAnswered' | 'cancel'>

/** Each statement is waited for. */
export const SEQUENTIAL: SessionTraits = {
  pipelines: false,
  beginsAsReader: false,
  hasJustAnswered: () => false,
  cancel: undefined,
}

/** A session on one of Kysely's connections. */
export function kyselySession(connection: DatabaseConnection, traits?: Partial<SessionTraits>): Session {
  const execute = (statement: Prepared, values: SlotValues) => {
    const { sql, query, queryId } = statement
    const parameters = statement.parameters(values, session.requestContext)
    return connection.executeQuery<Row>({ sql, query, queryId, parameters })
  }
  const session: Session = {
    ...SEQUENTIAL,
    ...traits,
    connection,
    requestContext: undefined,
    settings: undefined,
    notePosition: undefined,
    commands: new Map(),
    rows: async (statement, values) => (await execute(statement, values)).rows,
    value: async <Value>(statement: Prepared, values: SlotValues) => {
      const [row = {}] = (await execute(statement, values)).rows
      return Object.values(row)[0] as Value | undefined
    },
    run: async (statement, values) => {
      const { insertId, numAffectedRows } = await execute(statement, values)
      return { changes: numAffectedRows === undefined ? undefined : Number(numAffectedRows), insertId }
    },
  }
  return session
}

/** A session on the SQLite database itself, which belongs to a connection of Kysely's that nobody else uses
 * meanwhile. */
export function directSession(connection: DatabaseConnection, direct: DirectDatabase): Session {
  const session: Session = {
    ...SEQUENTIAL,
    connection,
    requestContext: undefined,
    settings: undefined,
    notePosition: undefined,
    beginsAsReader: direct.resetsStatements,
    commands: new Map(),
    rows: async (statement, values) =>
      direct.rows(statement.sql, statement.parameters(values, session.requestContext)) as readonly Row[],
    value: async <Value>(statement: Prepared, values: SlotValues) =>
      direct.value(statement.sql, statement.parameters(values, session.requestContext)) as Value | undefined,
    run: async (statement, values) => direct.run(statement.sql, statement.parameters(values, session.requestContext)),
  }
  return session
}

/**
 * Does one thing after another: when the first is done, or where the session pipelines right behind it, in the same
 * message. The first must start all its statements before it waits for anything. Returns what both return. Fails with
 * the error of the first if there is one, never before both are over.
 */
export async function pipeline<First, Second>(
  session: Pick<Session, 'pipelines'>,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  if (!session.pipelines) return [await first(), await second()]
  const [former, latter] = await Promise.allSettled([first(), second()])
  if (former.status === 'rejected') throw former.reason
  if (latter.status === 'rejected') throw latter.reason
  return [former.value, latter.value]
}

/** A statement whose answer does not matter. */
export interface Command {
  readonly statement: Prepared
  readonly values: SlotValues
}

/** Does work behind a statement, if there is one: in the same message if the session pipelines. */
export function behind<Result>(
  session: Session,
  first: Command | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (first === undefined) return work()
  return pipeline(session, () => session.rows(first.statement, first.values), work).then(([, result]) => result)
}

/**
 * Does one thing after another, as {@link pipeline} does, however many they are. Fails with the error of the first that
 * fails, and where the session pipelines never before all are over.
 */
export async function pipelineAll(
  session: Pick<Session, 'pipelines'>,
  all: readonly (() => Promise<unknown>)[],
): Promise<void> {
  if (!session.pipelines) {
    for (const one of all) await one()
    return
  }
  const ends = await Promise.allSettled(all.map((one) => one()))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** A driver's error, with more about the statement that the database refused. Its `cause` is that error. */
export class StatementError extends Error {
  override readonly name: string = 'StatementError'

  constructor(message: string, cause: unknown) {
    super(message, { cause })
  }
}

/** The driver's error itself. */
export function causeOf(error: unknown): unknown {
  return error instanceof StatementError ? error.cause : error
}

/** The database has let some rows be that a statement should write, and says nothing of it. */
export class SkippedRowsError extends Error {
  override readonly name = 'SkippedRowsError'

  constructor(cause?: unknown) {
    super('a trigger, a rule or a policy of the database has left a row as it is', { cause })
  }
}

/** How many rows one statement may have where the database is part of this process, which does nothing else
 * meanwhile. */
interface Portioned {
  readonly mostRowsAtOnce: number
}

/** Of bodies and records: what the process does with so many takes some milliseconds. */
export const OF_RECORDS: Portioned = { mostRowsAtOnce: 1_000 }

/**
 * Does work with many items: in portions where all at once would keep the process from everything else, with turns of
 * the event loop between and behind. `first`: the index of the portion's first item.
 */
export async function inPortions<Item>(
  { mostRowsAtOnce }: Portioned,
  items: readonly Item[],
  work: (portion: readonly Item[], first: number) => Promise<void> | void,
): Promise<void> {
  if (items.length <= mostRowsAtOnce) return await work(items, 0)
  for (let first = 0; first < items.length; first += mostRowsAtOnce) {
    await work(items.slice(first, first + mostRowsAtOnce), first)
    await nextTurn()
  }
}

/** A turn of the event loop within the work on so many rows; undefined where they are few, or the database waits for no
 * turn of this process. */
export function turnWithin({ mostRowsAtOnce }: Portioned, rows: number): Promise<void> | undefined {
  return rows > mostRowsAtOnce ? nextTurn() : undefined
}
