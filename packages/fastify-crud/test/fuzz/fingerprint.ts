import { sql } from 'kysely'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { tableNames, takeSnapshot } from '../../../../test/support/tables.ts'

/** Makes a function that tells whether any row has changed: then its text is another one. */
export async function fingerprintOf({ name, db }: OpenDatabase): Promise<() => Promise<string>> {
  const tables = await tableNames(name, db)
  if (name === 'sqlite') return async () => JSON.stringify(await takeSnapshot(name, db, tables))
  // One statement, as a fuzzer asks after every request.
  const rows = tables.map((table) => sql`select ${table} || t::text as line from ${sql.table(table)} as t`)
  const lines = sql.join(rows, sql` union all `)
  const query = sql<{
    print: string
  }>`select md5(string_agg(line, ',' order by line)) as print from (${lines}) as lines`
  return async () => (await query.execute(db)).rows[0]?.print ?? ''
}
