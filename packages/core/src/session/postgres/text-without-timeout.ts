/** The longest time that a timer takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * The text of a statement that `pg` waits for without a limit, whatever the client's `query_timeout` is. The driver takes an
 * object with options in place of a text (https://node-postgres.com/apis/client#queryconfig). It is a `String`, for Kysely's log.
 */
export function textWithoutTimeout(text: string): string {
  return Object.assign(new String(text), { text, query_timeout: LONGEST_TIMER_MS }) as unknown as string
}
