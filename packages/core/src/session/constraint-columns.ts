/** `book.isbn` of the messages of SQLite. It names no column of an index over an expression, and none of a CHECK. */
const SQLITE = /^(?:NOT NULL|UNIQUE) constraint failed: ([^'].*)$/

/** `Key (isbn, "in Lang")=(1, en) already exists.`, in the server's language. An expression has brackets of its own. */
const POSTGRES = /\(((?:"[^"]+"|[^()"])+)\)=\(/

/** The columns that a driver's error about a constraint names; none if it names none. */
export function constraintColumns(error: unknown): readonly string[] {
  const {
    code,
    message,
    detail,
    column,
    column_name: ofPostgresJs,
  } = (error ?? {}) as Readonly<Record<string, unknown>>
  const only = column ?? ofPostgresJs
  if (typeof only === 'string') return [only]
  const named = code === '23505' || code === 'XX000' ? POSTGRES.exec(String(detail)) : SQLITE.exec(String(message))
  return (named?.[1]?.split(', ') ?? []).map((name) => name.replace(/^.*[.]/, '').replaceAll('"', ''))
}
