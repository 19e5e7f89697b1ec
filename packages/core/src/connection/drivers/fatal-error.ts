const CODES = new Set(['25P03', '25P04', '57P01', '57P02', '57P03', '57P04', '57P05'])

/**
 * Whether an error ends the session with a PostgreSQL server: FATAL or PANIC
 * (https://www.postgresql.org/docs/current/runtime-config-logging.html#RUNTIME-CONFIG-SEVERITY-LEVELS). A server with another
 * language (`lc_messages`) translates these words, so there the code decides.
 */
export function isFatal(error: unknown): boolean {
  const { severity, code } = error as { severity?: unknown; code?: unknown }
  if (severity === 'FATAL' || severity === 'PANIC') return true
  return typeof severity === 'string' && severity !== 'ERROR' && CODES.has(String(code))
}
