import type { ColumnDataType } from 'kysely'
import type { Stored, StoredName } from '../../model/descriptors/stored.ts'
import type { Sql } from '../text/sql-text.ts'

/** How the values of a field are written to a column that spells them otherwise than the dialect expects. */
export interface WrittenForm {
  /** A value of a body as a statement carries it. */
  encode(value: unknown): unknown
  /** A value of a body as answers show it again, on PostgreSQL. Default: as it is. */
  shown?(value: unknown): unknown
  /** A parameter that {@link encode} made, as the column holds it. Default: as it is. */
  ofParameter?(parameter: Sql): Sql
  /** The same, of rows that travel as JSON. Default: as it is. */
  inRow?(value: Sql): Sql
}

/** How a column spells the values of a field, where it does otherwise than the dialect expects. */
export interface ColumnForm extends WrittenForm {
  /** A value of the column, as a column that the dialect expects would have it: null if the field can have no such value. */
  read(column: Sql): Sql
  /** The same for a comparison with others. */
  compared(column: Sql): Sql
  /** The type that `createTables` gives to such a column. */
  readonly type: ColumnDataType
  /** The types that keep such values as they are. PostgreSQL: as in the catalog. SQLite: affinities. */
  readonly fits: readonly string[]
}

/** The forms that a field's `stored` can choose; undefined if the database has no such columns. */
export interface ColumnForms {
  named(name: StoredName): ColumnForm | undefined
  ofZone(zone: string): ColumnForm | undefined
}

export function formIn(forms: ColumnForms, stored: Stored | undefined): ColumnForm | undefined {
  if (stored === undefined) return undefined
  return typeof stored === 'string' ? forms.named(stored) : forms.ofZone(stored.zone)
}
