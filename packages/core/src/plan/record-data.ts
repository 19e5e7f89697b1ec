import type { Id } from '../model/ids.ts'
import type { Reference } from '../model/model.ts'

/** A record as it is read: its id, its fields, foreign keys and relations. */
export type RecordData = { readonly id: Id } & { readonly [name: string]: unknown }

/** The id that a foreign key of a record holds. */
export function heldId(record: RecordData, { foreignKey }: Reference): Id | null {
  return record[foreignKey] as Id | null
}
