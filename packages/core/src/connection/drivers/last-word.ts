const ENDING = new Set(['25P03', '25P04', '57P01', '57P02', '57P03', '57P04', '57P05'])

/**
 * Whether an error is the last that a PostgreSQL server says in a session: FATAL or PANIC
 * (https://www.postgresql.org/docs/current/runtime-config-logging.html#RUNTIME-CONFIG-SEVERITY-LEVELS). With any other word
 * than these and ERROR, which are those of another language (`lc_messages`), its code tells.
 */
export function isLastWord(error: unknown): boolean {
  const { severity, code } = error as { severity?: unknown; code?: unknown }
  if (severity === 'FATAL' || severity === 'PANIC') return true
  return typeof severity === 'string' && severity !== 'ERROR' && ENDING.has(String(code))
}
