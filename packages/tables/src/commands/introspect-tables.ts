import { introspect, type TableOutcome } from '../introspect/introspect.ts'
import { count } from './count.ts'
import type { Options } from './read-options.ts'
import type { Surroundings } from './surroundings.ts'
import { withDatabase } from './with-database.ts'

/** Prints the descriptors of a database, and says what became of its tables. */
export async function introspectTables(options: Options, surroundings: Surroundings): Promise<0> {
  const { schema, only, json } = options
  const { source, tables } = await withDatabase(options, surroundings, (db) =>
    introspect(db, { ...(schema !== undefined && { schema }), ...(only !== undefined && { only }) }),
  )
  const outcomes = [...tables].map(([table, outcome]) => ({ table, ...outcome }))
  surroundings.out(json === true ? `${JSON.stringify({ source, tables: outcomes }, null, 2)}\n` : source)
  if (json !== true) surroundings.err(summary(outcomes))
  return 0
}

function summary(outcomes: readonly ({ readonly table: string } & TableOutcome)[]): string {
  const resources = outcomes.filter((one) => 'resource' in one)
  const links = outcomes.filter((one) => 'links' in one)
  const left = outcomes.filter((one) => 'reason' in one)
  const counts = `${count(outcomes.length, 'table')}: ${count(resources.length, 'resource')}, ${count(links.length, 'table')} of links, ${left.length} left out\n`
  return counts + left.map(({ table, reason }) => `  ${table}: ${reason}\n`).join('')
}
