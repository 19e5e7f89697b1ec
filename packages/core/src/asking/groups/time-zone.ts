import type { Scope } from '../scope.ts'

/** The abbreviations of zones, such as `EET`, mean one offset to PostgreSQL, and rules to others. */
const NAME = /^(?:UTC|[A-Za-z]+(?:\/[A-Za-z0-9_+-]+)+)$/

/** What is wrong with the name of a time zone; undefined if nothing is. */
export function whyNoZone(given: unknown, { hasFunctions }: Scope): string | undefined {
  if (typeof given !== 'string' || !NAME.test(given) || !isKnown(given))
    return 'must be the name of a time zone, such as Europe/Vienna'
  return hasFunctions ? undefined : 'this connection to SQLite knows no time zones; open it by openSqlite'
}

function isKnown(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}
