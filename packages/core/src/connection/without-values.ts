/**
 * Stands for a driver's error whose words may quote a row, as PostgreSQL's do: `Failing row contains (1, …)`. Nobody is to read a
 * write-only value there. It says where to look: the code, and the table, column and constraint if the driver names them.
 */
export function withoutValues(error: unknown): Error {
  const { code, table, column, constraint } = error as Readonly<Record<string, unknown>>
  const message = `the database refused a value (${code}); its words may quote a write-only field, so they are left out`
  return Object.assign(new Error(message), { code, table, column, constraint })
}
