/** The patience of `pg` is at its end (`query_timeout`). The server is not done, and may be in a transaction by then. */
export function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && /^Query read timeout/.test(error.message)
}

/** In ms: as long as a timer goes. */
const LONGEST = 2 ** 31 - 1

/**
 * A statement's text for which `pg` waits however long it takes, whatever the client's `query_timeout`: the driver takes a text
 * with options, too (https://node-postgres.com/apis/client#queryconfig). For Kysely's log it is a `String`.
 */
export function patientText(text: string): string {
  return Object.assign(new String(text), { text, query_timeout: LONGEST }) as unknown as string
}
