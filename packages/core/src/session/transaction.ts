import { CompiledQuery } from 'kysely'
import { CrudError, outcomeUnknown } from '../errors.ts'
import type { AnyKysely } from '../sql/dialect/database.ts'
import type { Dialect } from '../sql/dialect/dialect.ts'
import { Prepared, type Query } from '../sql/text/prepare.ts'
import { databaseErrorKind, endsSession } from './database-errors.ts'
import { isReadTimeout } from './postgres/pipeline/index.ts'
import { behind, causeOf, pipeline, pipelineAll, SEQUENTIAL, type Session } from './session.ts'

/** The statements with which a transaction begins and ends. */
export interface Boundaries {
  /** Undefined where one is under way already, and nothing is begun in it. */
  readonly begin: string | undefined
  /** What ends it when all is done. */
  readonly end: readonly string[]
  /** Undo what the transaction has done. */
  readonly rollback: readonly string[]
  /** What it has done is stored for good when it has ended. */
  readonly commits: boolean
}

export function transaction(begin: string): Boundaries {
  return { begin, end: ['commit'], rollback: ['rollback'], commits: true }
}

/** Within the caller's transaction: what fails is undone, and the caller may go on. */
const savepoint: Boundaries = {
  begin: 'savepoint fastify_crud',
  end: ['release savepoint fastify_crud'],
  rollback: ['rollback to savepoint fastify_crud', 'release savepoint fastify_crud'],
  commits: false,
}

/** The same where the database has no savepoints. Nothing of the caller's transaction may be committed behind what has
 * failed, so that it fails as a whole. */
const noSavepoint: Boundaries = {
  begin: undefined,
  end: [],
  rollback: ["select cast('fastify-crud: a write was refused, and the engine has no savepoints' as integer)"],
  commits: false,
}

/** Those of a write: a transaction, or a part of the caller's. `begin`: how a transaction of its own begins. */
export function boundariesOn(db: AnyKysely, dialect: Dialect, begin = dialect.begin): Boundaries {
  if (!db.isTransaction) return transaction(begin)
  return dialect.hasSavepoints ? savepoint : noSavepoint
}

/** The same, but what was done is undone at its end. `checks`: what the database would check as it commits. */
export function undone(boundaries: Boundaries, checks: readonly string[]): Boundaries {
  if (boundaries === noSavepoint) {
    throw new TypeError('dryRun: in a transaction of your own it needs savepoints, which the engine does not have')
  }
  return { ...boundaries, end: [...checks, ...boundaries.rollback], commits: false }
}

/** A transaction that is under way on a session. */
export interface Transaction {
  readonly session: Session
  /**
   * Does the last of the work, and commits. Where the session pipelines, the commit goes in the same message, behind
   * the statements that the work starts before it waits. To be called once at most: work that ends without it is
   * committed then.
   */
  commitBehind<Result>(last: () => Promise<Result>): Promise<Result>
}

/**
 * Does work in a transaction of a session: first the settings of the request, then the work, then the commit. Rolls
 * back if something fails. Where the session pipelines, the statements that the work starts before it waits go in one
 * message with those that begin.
 *
 * Fails with a {@link CrudError} `CRUD_ERR_OUTCOME_UNKNOWN` if the commit may have been done, and no answer came.
 */
export async function withTransaction<Result>(
  session: Session,
  { begin, end, rollback, commits }: Boundaries,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  let mayHaveBegun = session.pipelines
  let isDone = false
  let isCommitting = false

  const commit = () => {
    isCommitting = true
    return pipelineAll(session, [
      ...end.map((text) => () => runCommand(session, text)),
      ...(commits ? positionOf(session) : []),
    ])
  }
  const commitBehind = async <Last>(last: () => Promise<Last>): Promise<Last> => {
    const lastDone = async () => {
      const result = await last()
      isDone = true
      return result
    }
    const [result] = await pipeline(session, lastDone, commit)
    return result
  }
  const workAndCommit = async () => {
    mayHaveBegun = true
    const result = await work({ session, commitBehind })
    isDone = true
    if (!isCommitting) await commit()
    return result
  }
  // What is sent together with the commit may not be sent again. So a connection that may be lost is asked first.
  const beginning = session.hasJustAnswered() ? session : SEQUENTIAL
  try {
    const [, result] = await pipeline(
      beginning,
      () => (begin === undefined ? Promise.resolve() : runCommand(session, begin)),
      () => behind(session, session.settings, workAndCommit),
    )
    return result
  } catch (error) {
    if (commits && isCommitting && isUnanswered(error) && (isDone || !isFromServer(error))) {
      // It may have been done, so nothing may be tried again.
      throw new CrudError(outcomeUnknown(), { cause: error })
    }
    const mustUndo = mayHaveBegun || isStillRunning(error) || isInFailedTransaction(error)
    if (mustUndo) await undo(session, error, rollback)
    throw error
  }
}

/**
 * Does a read in a transaction, for the settings of the request. It changes nothing, so all of it can go in one message
 * and be done again, whatever becomes of the commit.
 */
export async function inReadTransaction<Result>(session: Session, read: () => Promise<Result>): Promise<Result> {
  const readAndCommit = async () => {
    const [result] = await pipeline(session, read, () => runCommand(session, 'commit'))
    return result
  }
  try {
    const [, result] = await pipeline(
      session,
      () => runCommand(session, 'begin'),
      () => behind(session, session.settings, readAndCommit),
    )
    return result
  } catch (error) {
    await undo(session, error, ['rollback'])
    throw error
  }
}

/** Asks where in the server's log the commit is, in the same message. What was committed stays so if there is no
 * answer. */
function positionOf(session: Session): readonly (() => Promise<void>)[] {
  const { notePosition } = session
  if (notePosition === undefined) return []
  return [
    () =>
      session.value<string>(POSITION, NO_VALUES).then(
        (position) => notePosition(position as string),
        () => {},
      ),
  ]
}

/** The place where the log goes on, behind all that is committed. */
export const POSITION = new Prepared(CompiledQuery.raw('select pg_current_wal_insert_lsn()::text as position') as Query)

/** Undoes what has failed with an error. */
async function undo(session: Session, error: unknown, texts: readonly string[]): Promise<void> {
  // A lost connection has rolled back. To ask on it once more would keep it from the pool, which has to see it end.
  if (endsSession(causeOf(error))) return
  // The transaction may be gone with its connection, or ended by the database. What counts is the first error.
  if (!isStillRunning(error)) {
    for (const text of texts) await runCommand(session, text).catch(() => {})
    return
  }
  // These come behind what is running, and ahead of whatever the connection is used for next, as Kysely's dialect hands
  // them to the driver at once: nothing has to wait for them.
  for (const text of texts) {
    const patient = new Prepared(CompiledQuery.raw(textWithoutTimeout(text)) as Query)
    session.rows(patient, NO_VALUES).catch(() => {})
  }
}

/** Runs a statement that has no values, whose answer does not matter. */
export function runCommand(session: Session, text: string): Promise<unknown> {
  let statement = session.commands.get(text)
  if (statement === undefined) {
    statement = new Prepared(CompiledQuery.raw(text) as Query)
    session.commands.set(text, statement)
  }
  return session.rows(statement, NO_VALUES)
}

const NO_VALUES: readonly never[] = []

/** The longest time that a timer takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * The text of a statement that `pg` waits for without a limit, whatever the client's `query_timeout` is. The driver
 * takes an object with options in place of a text (https://node-postgres.com/apis/client#queryconfig). It is a
 * `String`, for Kysely's log.
 */
function textWithoutTimeout(text: string): string {
  return Object.assign(new String(text), { text, query_timeout: LONGEST_TIMER_MS }) as unknown as string
}

/** The server has refused this very statement, so it did none of those behind it. */
function isFromServer(error: unknown): boolean {
  return (causeOf(error) as { severity?: unknown }).severity !== undefined
}

/** The server itself does not know what became of the statement. */
const UNKNOWN_COMPLETION = '40003'

/** The database has not said what became of the statement. */
function isUnanswered(error: unknown): boolean {
  if ((causeOf(error) as { code?: unknown }).code === UNKNOWN_COMPLETION) return true
  return databaseErrorKind(causeOf(error)) === 'disconnected' ? !isUnsent(error) : isStillRunning(error)
}

/** The driver knows that the connection is lost, so it did not send anything. */
function isUnsent(error: unknown): boolean {
  return /is not queryable$/.test((causeOf(error) as Error).message)
}

/** A failed transaction was left on the connection, which is of no use until it is rolled back. */
function isInFailedTransaction(error: unknown): boolean {
  return (causeOf(error) as { code?: unknown }).code === '25P02'
}

/** The driver has stopped waiting for the statement. */
function isStillRunning(error: unknown): boolean {
  return isReadTimeout(causeOf(error))
}
