import type { DatabaseName } from '../../model/database-name.ts'
import type { Constant } from '../../model/model.ts'

/**
 * A constant of the model as SQL, as columns of `createTables` have it. It stands in the text: a parameter would keep a planner from
 * using an index that holds only the rows with the constant.
 */
export function constantText(database: DatabaseName, value: Constant): string {
  if (typeof value === 'boolean' && database === 'sqlite') return value ? '1' : '0'
  if (typeof value !== 'string') return String(value)
  const quoted = `'${value.replaceAll("'", "''")}'`
  // Without the E, a setting of the server decides what a backslash is.
  return database === 'postgres' && value.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted
}
