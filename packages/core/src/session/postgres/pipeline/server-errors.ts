const FATAL_CODES = new Set(['25P03', '25P04', '57P01', '57P02', '57P03', '57P04', '57P05'])

/**
 * Whether an error ends the session with a PostgreSQL server: FATAL or PANIC
 * (https://www.postgresql.org/docs/current/runtime-config-logging.html#RUNTIME-CONFIG-SEVERITY-LEVELS). A server with another
 * language (`lc_messages`) translates these words, so there the code decides.
 */
export function isFatal(error: unknown): boolean {
  const { severity, code } = error as { severity?: unknown; code?: unknown }
  if (severity === 'FATAL' || severity === 'PANIC') return true
  return typeof severity === 'string' && severity !== 'ERROR' && FATAL_CODES.has(String(code))
}

/**
 * The server does not have the prepared statement of that name (`deallocate all`, `discard all`), or has one already: a pooler
 * may have changed servers.
 */
const UNKNOWN_CODES = new Set(['26000', '42P05'])

/** Whether the server keeps other prepared statements than the driver believes. */
export function isUnknownStatement(error: unknown): boolean {
  return UNKNOWN_CODES.has(String((error as { code?: unknown }).code))
}

/** A parameter or a column has the type that another column had when the statement was prepared. */
const OUTDATED_CODES = new Set(['42804', '42P18', '42846'])

/** Whether a table may have changed in such a way that statements must be prepared anew. */
export function isOutdated(error: unknown): boolean {
  const { code, routine } = error as { code?: unknown; routine?: unknown }
  return OUTDATED_CODES.has(String(code)) || (code === '0A000' && routine === 'RevalidateCachedQuery')
}

/**
 * Whether `pg` has stopped waiting for an answer (`query_timeout`). The server goes on, and may leave the connection in a
 * transaction.
 */
export function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && /^Query read timeout/.test(error.message)
}
