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
