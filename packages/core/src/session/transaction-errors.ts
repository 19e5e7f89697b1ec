import { databaseErrorKind } from './database-errors.ts'
import { isReadTimeout } from './postgres/pipeline/index.ts'
import { causeOf } from './statement-error.ts'

/** The server has refused this very statement, so it did none of those behind it. */
export function isFromServer(error: unknown): boolean {
  return (causeOf(error) as { severity?: unknown }).severity !== undefined
}

/** The server itself does not know what became of the statement. */
const UNKNOWN_COMPLETION = '40003'

/** The database has not said what became of the statement. */
export function isUnanswered(error: unknown): boolean {
  if ((causeOf(error) as { code?: unknown }).code === UNKNOWN_COMPLETION) return true
  return databaseErrorKind(causeOf(error)) === 'disconnected' ? !isUnsent(error) : isStillRunning(error)
}

/** The driver knows that the connection is lost, so it did not send anything. */
function isUnsent(error: unknown): boolean {
  return /is not queryable$/.test((causeOf(error) as Error).message)
}

/** A failed transaction was left on the connection, which is of no use until it is rolled back. */
export function isInFailedTransaction(error: unknown): boolean {
  return (causeOf(error) as { code?: unknown }).code === '25P02'
}

/** The driver has stopped waiting for the statement. */
export function isStillRunning(error: unknown): boolean {
  return isReadTimeout(causeOf(error))
}
