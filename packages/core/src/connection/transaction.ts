import { CompiledQuery } from 'kysely'
import { CrudError, outcomeUnknown } from '../errors.ts'
import { Prepared, type Query } from '../query/text/prepare.ts'
import { databaseErrorKind, endsSession } from './database-errors.ts'
import { isReadTimeout, textWithoutTimeout } from './postgres/pipeline/server-errors.ts'
import { pipeline, pipelineAll, SEQUENTIAL, type Session } from './session.ts'
import { causeOf } from './step-error.ts'

/** The statements with which a transaction begins and ends. */
export interface Boundaries {
  readonly begin: string
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
export const savepoint: Boundaries = {
  begin: 'savepoint fastify_crud',
  end: ['release savepoint fastify_crud'],
  rollback: ['rollback to savepoint fastify_crud', 'release savepoint fastify_crud'],
  commits: false,
}

/** The same, but what was done is undone at its end. `checks`: what the database would check as it commits. */
export function undone(boundaries: Boundaries, checks: readonly string[]): Boundaries {
  return { ...boundaries, end: [...checks, ...boundaries.rollback], commits: false }
}

/**
 * Does work in a transaction of a session: commits when it is done, rolls back if it fails. The work resolves to a function that
 * sends its last statements, so that the commit can go in the same message behind them.
 */
export async function inTransaction<Result>(
  session: Session,
  boundaries: Boundaries,
  work: () => Promise<() => Promise<Result>>,
): Promise<Result> {
  const { begin, end, rollback, commits } = boundaries
  // The statement that begins may bring another one along, which may fail when the transaction has begun.
  let mayHaveBegun = session.pipelines || begin.includes(';')
  let isDone = false
  let isCommitting = false

  const workAndCommit = async () => {
    mayHaveBegun = true
    const last = await work()
    const sendLast = async () => {
      const result = await last()
      isDone = true
      return result
    }
    const sendCommit = () => {
      isCommitting = true
      return pipelineAll(
        session,
        end.map((text) => () => runCommand(session, text)),
      )
    }
    const [result] = await pipeline(session, sendLast, sendCommit)
    return result
  }
  // What is sent together with the commit may not be sent again. So a connection that may be lost is asked first.
  const beginning = session.hasJustAnswered() ? session : SEQUENTIAL
  try {
    const [, result] = await pipeline(
      beginning,
      () => runCommand(session, begin),
      () => withSettings(session, workAndCommit),
    )
    return result
  } catch (error) {
    if (commits && isCommitting && isUnanswered(error) && (isDone || !isFromServer(error))) {
      // Nobody knows whether it was done, so nothing may be tried again.
      throw new CrudError(outcomeUnknown(), { cause: error })
    }
    const mustUndo = mayHaveBegun || isStillRunning(error) || isInFailedTransaction(error)
    if (mustUndo) await undo(session, error, rollback)
    throw error
  }
}

/**
 * Does a read in a transaction, for the settings of the request. It changes nothing, so all of it can go in one message and be done
 * again, whatever becomes of the commit.
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
      () => withSettings(session, readAndCommit),
    )
    return result
  } catch (error) {
    await undo(session, error, ['rollback'])
    throw error
  }
}

/** Does work behind the statement that sets the settings of the request, if there are any. */
function withSettings<Result>(session: Session, work: () => Promise<Result>): Promise<Result> {
  const { settings } = session
  if (settings === undefined) return work()
  const setAndWork = pipeline(session, () => session.rows(settings.statement, settings.values), work)
  return setAndWork.then(([, result]) => result)
}

/** SQLite: nobody is kept from writing until this transaction writes. That fails as busy if others have written since its first read. */
const AS_READER = 'begin'

/**
 * The same on SQLite for work that reads before it writes. The transaction begins as a reader. If others have written by the time it
 * writes, SQLite refuses that, and all of the work is done again in a transaction that writes from the start. The work is not done
 * again if the first read or the commit is refused: there SQLite has waited already.
 */
export async function inReadersTransaction<Seen, Result>(
  session: Session,
  boundaries: Boundaries,
  read: () => Promise<Seen>,
  write: (seen: Seen) => Promise<() => Promise<Result>>,
): Promise<Result> {
  let isWriting = false
  const work = async () => {
    const seen = await read()
    isWriting = true
    const sendLast = await write(seen)
    return async () => {
      const result = await sendLast()
      isWriting = false
      return result
    }
  }
  try {
    return await inTransaction(session, { ...boundaries, begin: AS_READER }, work)
  } catch (error) {
    if (!isWriting || databaseErrorKind(causeOf(error)) !== 'busy') throw error
    return await inTransaction(session, boundaries, work)
  }
}

/** The server has refused this very statement, so it did none of those behind it. */
function isFromServer(error: unknown): boolean {
  return (causeOf(error) as { severity?: unknown }).severity !== undefined
}

/** The driver knows that the connection is lost, so it did not send anything. */
function isUnsent(error: unknown): boolean {
  return /is not queryable$/.test((causeOf(error) as Error).message)
}

/** The database has not said what became of the statement. */
function isUnanswered(error: unknown): boolean {
  return databaseErrorKind(causeOf(error)) === 'disconnected' ? !isUnsent(error) : isStillRunning(error)
}

/** Somebody has left a failed transaction on the connection, which is of no use until it is rolled back. */
function isInFailedTransaction(error: unknown): boolean {
  return (causeOf(error) as { code?: unknown }).code === '25P02'
}

function isStillRunning(error: unknown): boolean {
  return isReadTimeout(causeOf(error))
}

/** Undoes what has failed with an error. */
async function undo(session: Session, error: unknown, texts: readonly string[]): Promise<void> {
  // A lost connection has rolled back. To ask on it once more would keep it from the pool, which has to see it end.
  if (endsSession(causeOf(error))) return
  // The transaction may be gone with its connection, or ended by the database. What counts is the first error.
  if (!isStillRunning(error)) {
    for (const text of texts) await runCommand(session, text).catch(() => {})
    return
  }
  // These come behind what is running, and ahead of whatever the connection is used for next, as Kysely's dialect hands them to
  // the driver at once: nobody has to wait for them.
  for (const text of texts) {
    const patient = new Prepared(CompiledQuery.raw(textWithoutTimeout(text)) as Query)
    session.rows(patient, NO_VALUES).catch(() => {})
  }
}

/** Runs a statement that has no values, whose answer does not matter. */
function runCommand(session: Session, text: string): Promise<unknown> {
  let statement = session.commands.get(text)
  if (statement === undefined) {
    statement = new Prepared(CompiledQuery.raw(text) as Query)
    // What begins a transaction may lock a record by its id, too: that is not worth keeping.
    if (!text.includes(';')) session.commands.set(text, statement)
  }
  return session.rows(statement, NO_VALUES)
}

const NO_VALUES: readonly never[] = []
