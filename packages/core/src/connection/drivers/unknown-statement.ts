/**
 * The server does not have the prepared statement of that name (`deallocate all`, `discard all`), or has one already: a pooler
 * may have changed servers.
 */
const CODES = new Set(['26000', '42P05'])

/** Whether the server keeps other prepared statements than the driver believes. */
export function isUnknownStatement(error: unknown): boolean {
  return CODES.has(String((error as { code?: unknown }).code))
}
