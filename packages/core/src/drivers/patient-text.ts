/** As long as a timer goes. */
const MS = 2 ** 31 - 1

/**
 * A statement's text for which `pg` waits however long it takes, whatever the client's `query_timeout`: the driver takes a text
 * with options, too (https://node-postgres.com/apis/client#queryconfig). To all others it is the text.
 */
export function patientText(text: string): string {
  return Object.assign(new String(text), { text, query_timeout: MS }) as unknown as string
}
