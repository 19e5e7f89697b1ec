import { sql } from 'kysely'
import { integerId } from '../../model/ids.ts'
import type { AssignedIds, IdSql } from './id-sql.ts'

/** What both databases do alike with integer ids. */
export const integerIdSql: Pick<
  IdSql,
  'order' | 'last' | 'json' | 'jsonText' | 'fromDriver' | 'fromIndex' | 'toIndex'
> = {
  order: (id) => id,
  last: (id) => sql`max(${id})`,
  // Both databases write an integer as its digits when they concatenate it.
  json: (id) => id,
  jsonText: (id) => sql`cast(${id} as text)`,
  // Drivers return large integers as bigint or text.
  fromDriver: (value) => Number(value),
  fromIndex: (index) => index,
  toIndex: (id) => id,
}

/** What both databases do alike where they assign integer ids. */
export const assignedIntegers: Pick<AssignedIds, 'floorAbove' | 'highest'> = {
  floorAbove: (chosen) => chosen.reduce((highest, id) => (integerId.compare(id, highest) > 0 ? id : highest), 0),
  highest: (idColumn, rows) => sql`(select coalesce(max(${sql.id(idColumn)}), 0) ${rows.from()})`,
}
