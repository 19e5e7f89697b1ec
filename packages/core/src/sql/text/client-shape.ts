/**
 * Stands behind the text of a statement whose shape a client makes. A driver keeps such statements apart from all others, and the
 * text is all that reaches it. It stands at the end because proxies and tracing go by the first word.
 */
export const CLIENT_SHAPE = ' /* client shape */'

export function isClientShape(sql: string): boolean {
  return sql.endsWith(CLIENT_SHAPE)
}
