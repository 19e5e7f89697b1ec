import { sql } from 'kysely'
import type { TestKysely } from '../../../../../../test/support/tables.ts'

/** The ids, as texts, of the rows of a table that are there, and of those that are kept and marked, by their moments. */
export async function markedIn(db: TestKysely, table: string, column = 'deletedAt') {
  // As a number, an id of 64 bits would not be whole.
  const id = sql<string>`cast(id as text)`.as('id')
  const rows = await db.selectFrom(table).select([id, column]).orderBy(`${table}.id`).execute()
  const moments = new Map<unknown, unknown[]>()
  for (const { id, [column]: at } of rows) {
    const moment = at instanceof Date ? at.toISOString() : at
    moments.set(moment, [...(moments.get(moment) ?? []), id])
  }
  const left = moments.get(null) ?? []
  moments.delete(null)
  return { left, marked: [...moments.values()].flat(), moments: [...moments.keys()] }
}
